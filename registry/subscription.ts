/** Live records of each resource, by subscription plan; null is no limit. A resource that is absent has none. */
export const subscriptionPlans = {
  STARTER: { projects: 25, workers: 50 },
  PRO: { projects: 250, workers: 500 },
  ENTERPRISE: { projects: null, workers: null },
} as const

export type SubscriptionPlan = keyof typeof subscriptionPlans
type PlanLimited = keyof (typeof subscriptionPlans)[SubscriptionPlan]

export const planNames = Object.keys(subscriptionPlans) as SubscriptionPlan[]

/** True if any plan limits the resource. */
export const isPlanLimited = (records: string): records is PlanLimited => records in subscriptionPlans.STARTER

/** Returns the limit of a resource, or null if it has none. */
export const planLimit = (plan: SubscriptionPlan, records: string): number | null =>
  isPlanLimited(records) ? subscriptionPlans[plan][records] : null

/** The parts of the product, switched on by company. `api` opens /v1; each other one its collection there. */
export const addOns = ['api', 'estimates', 'subcontractors', 'equipment'] as const
export type AddOn = (typeof addOns)[number]
