/**
 * The parts of the product that are switched on by company. `api` opens /v1; each of the others opens its collection
 * there.
 */
export const addOns = ['api', 'estimates', 'subcontractors', 'equipment'] as const
export type AddOn = (typeof addOns)[number]
