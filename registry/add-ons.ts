/** What a company can have switched on. `api` opens /v1; the others open their collection there. */
export const addOns = ['api', 'estimates', 'subcontractors', 'equipment'] as const
export type AddOn = (typeof addOns)[number]
