import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { isApproval } from '#derive/approval.ts'
import type { OwnAccount } from '#derive/console/responses.ts'
import { lackedRights, visibleDefinition } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import type { ChoiceField } from '#registry/fields/choice.ts'
import type { Json } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { useLoaded } from '../client/use-loaded.ts'
import { Trouble, WaitingNotice } from '../ui/pending.tsx'

type Visitor = OwnAccount & {
  reload(): Promise<void>
  may(records: string, action: Action): boolean
  holds(right: string): boolean
  /** Whether the account may set the field of a record to this; a new record comes from null. */
  mayStep(records: string, field: Pick<ChoiceField, 'approval'> | undefined, from: Json, to: string): boolean
  /** Returns a resource without the fields that are withheld from the account; the same object for the same resource. */
  visible(definition: Definition): Definition
}

const MeContext = createContext<Visitor | null>(null)

/** Loads the account once, before its children are shown. */
export function MeProvider({ children }: { children: ReactNode }) {
  const { data, error, reload } = useLoaded('me.fetch')
  const visible = useMemo(() => {
    const lacks = lackedRights(data?.account.permissions ?? [])
    return memoize((definition: Definition) => visibleDefinition(definition, lacks))
  }, [data])
  if (error) return <Trouble error={error} retry={reload} />
  if (!data) return <WaitingNotice whole />
  const { permissions } = data.account
  const known: Visitor = {
    ...data,
    reload,
    may: (records, action) => permissions.includes(permission(records, action)),
    holds: (right) => permissions.includes(right),
    mayStep: (records, field = {}, from, to) =>
      !isApproval(field, from, to) || permissions.includes(permission(records, 'APPROVE')),
    visible,
  }
  return <MeContext value={known}>{children}</MeContext>
}

export function useMe(): Visitor {
  const me = useContext(MeContext)
  if (!me) throw new Error('nobody is signed in here')
  return me
}
