/** How many live records of a resource each plan holds; null is no limit. Kinds that are not named are not limited. */
export const plans = {
  STARTER: { projects: 25, workers: 50 },
  PRO: { projects: 250, workers: 500 },
  ENTERPRISE: { projects: null, workers: null },
} as const

export type Plan = keyof typeof plans
export type PlanLimited = keyof (typeof plans)[Plan]

export const planNames = Object.keys(plans) as Plan[]

/** Whether plans limit a resource at all. */
export const isPlanLimited = (records: string): records is PlanLimited => records in plans.STARTER

/** The plan limit of a resource, or null where there is none. */
export const planLimit = (plan: Plan, records: string): number | null =>
  (plans[plan] as { readonly [records: string]: number | null })[records] ?? null
