/** Live records of each resource, by subscription plan; null is no limit. A resource that is absent has none. */
export const plans = {
  STARTER: { projects: 25, workers: 50 },
  PRO: { projects: 250, workers: 500 },
  ENTERPRISE: { projects: null, workers: null },
} as const

export type Plan = keyof typeof plans
export type PlanLimited = keyof (typeof plans)[Plan]

export const planNames = Object.keys(plans) as Plan[]

/** True if any plan limits the resource. */
export const isPlanLimited = (records: string): records is PlanLimited => records in plans.STARTER

/** Returns the limit of a resource, or null if it has none. */
export const planLimit = (plan: Plan, records: string): number | null =>
  (plans[plan] as { readonly [records: string]: number | null })[records] ?? null
