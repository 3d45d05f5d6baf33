import { type Registry, registry } from './resources/index.ts'

/** What an account may do, and what a token may be given of it. */
const actions = ['VIEW', 'EDIT', 'DELETE'] as const
export type Action = (typeof actions)[number]

export const permission = (records: string, action: Action): string => `${records.toUpperCase()}_${action}`

/** Rights over the company itself: Settings, its accounts, its own data. */
const managementPermissions = ['API_MANAGE', 'ACCOUNTS_MANAGE', 'COMPANY_MANAGE'] as const

/** Every permission an account can hold. */
const permissionsOf = (records: Registry): string[] => [
  ...records.flatMap(({ name }) => actions.map((action) => permission(name, action))),
  ...managementPermissions,
]

/** The permissions that open a route of /v1: those a token can carry as scopes. */
const scopesOf = (records: Registry): string[] =>
  permissionsOf(records.filter((definition) => definition.served)).filter(
    (code) => !(managementPermissions as readonly string[]).includes(code),
  )

export const permissions = permissionsOf(registry)
export const scopes = scopesOf(registry)
