import { type FieldRight, fieldRights } from './fields/kind.ts'
import { type Registry, registry, servedResources } from './resources/index.ts'

/** What an account may do, and what a token may be given of it. */
const actions = ['VIEW', 'EDIT', 'DELETE'] as const
export type Action = (typeof actions)[number]

export const permission = (records: string, action: Action | 'APPROVE'): string => `${records.toUpperCase()}_${action}`

const permissionsOn = (records: Registry): string[] =>
  records.flatMap(({ name }) => actions.map((action) => permission(name, action)))

/** The permissions that open a route of /v1: those a token can carry as scopes. */
export const scopes = permissionsOn(servedResources)

/** The permission that opens the fields with this right. Accounts hold it; no token carries it. */
export const permissionOfRight = (right: FieldRight): string => `${right}_VIEW`

/** Those that open the reading of a resource. */
export const viewPermissions = (records: Registry): string[] => records.map(({ name }) => permission(name, 'VIEW'))

export const fieldPermissions: readonly string[] = fieldRights.map(permissionOfRight)

/** Those that approve records, and take an approval back. Accounts hold them; no token carries them. */
export const approvalPermissions = (records: Registry): string[] =>
  records.flatMap(({ name, fields }) =>
    Object.values(fields).some((field) => field.kind === 'choice' && field.approval !== undefined)
      ? [permission(name, 'APPROVE')]
      : [],
  )

/** Every permission an account can hold; the last are rights over the company itself: Settings, its accounts, its own data. */
export const permissions = [
  ...permissionsOn(registry),
  ...fieldPermissions,
  ...approvalPermissions(registry),
  'API_MANAGE',
  'ACCOUNTS_MANAGE',
  'COMPANY_MANAGE',
  'AUDIT_VIEW',
]
