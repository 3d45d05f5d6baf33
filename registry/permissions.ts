import { type Registry, registry, servedResources } from './resources/index.ts'

/** What an account may do, and what a token may be given of it. */
const actions = ['VIEW', 'EDIT', 'DELETE'] as const
export type Action = (typeof actions)[number]

export const permission = (records: string, action: Action): string => `${records.toUpperCase()}_${action}`

const permissionsOn = (records: Registry): string[] =>
  records.flatMap(({ name }) => actions.map((action) => permission(name, action)))

/** The permissions that open a route of /v1: those a token can carry as scopes. */
export const scopes = permissionsOn(servedResources)

/** Every permission an account can hold; the last are rights over the company itself: Settings, its accounts, its own data. */
export const permissions = [...permissionsOn(registry), 'API_MANAGE', 'ACCOUNTS_MANAGE', 'COMPANY_MANAGE']
