import { type FieldRight, fieldRights } from './fields/kind.ts'
import { type Registry, registry, servedResources } from './resources/index.ts'

/** The actions of an account, and of the scopes of a token. */
export const actions = ['VIEW', 'EDIT', 'DELETE'] as const
export type Action = (typeof actions)[number]

export const permission = (records: string, action: Action | 'APPROVE'): string => `${records.toUpperCase()}_${action}`

const permissionsOn = (records: Registry): string[] =>
  records.flatMap(({ name }) => actions.map((action) => permission(name, action)))

/** The permissions that open routes of /v1. Tokens carry them as scopes. */
export const scopes = permissionsOn(servedResources)

/** Returns the permission that opens the fields with this right. Accounts hold it; no token carries it. */
export const permissionOfRight = (right: FieldRight): string => `${right}_VIEW`

/** Returns the permissions to read these resources. */
export const viewPermissions = (records: Registry): string[] => records.map(({ name }) => permission(name, 'VIEW'))

export const fieldPermissions: readonly string[] = fieldRights.map(permissionOfRight)

/** Returns the permissions to approve records and to withdraw it. Accounts hold them; no token carries them. */
export const approvalPermissions = (records: Registry): string[] =>
  records.flatMap(({ name, fields }) =>
    Object.values(fields).some((field) => field.kind === 'choice' && field.approval !== undefined)
      ? [permission(name, 'APPROVE')]
      : [],
  )

/** Permissions over the company itself: Settings, accounts, its data. */
export const companyPermissions: readonly string[] = ['API_MANAGE', 'ACCOUNTS_MANAGE', 'COMPANY_MANAGE', 'AUDIT_VIEW']

/** Every permission of an account. */
export const permissions = [
  ...permissionsOn(registry),
  ...fieldPermissions,
  ...approvalPermissions(registry),
  ...companyPermissions,
]
