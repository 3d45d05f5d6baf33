import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { isApproval } from '#derive/approval.ts'
import { dayIn } from '#derive/company-day.ts'
import { lackedRights, visibleDefinition } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import type { ChoiceField } from '#registry/fields/choice.ts'
import type { Json } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { type Action, permission } from '#registry/permissions.ts'
import type { OwnAccount } from '../client/answers.ts'
import { useLoaded } from '../client/use-loaded.ts'
import { Trouble, WaitingNotice } from '../ui/pending.tsx'

type Visitor = ReturnType<typeof createVisitor>

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
  return <MeContext value={createVisitor(data, reload, visible)}>{children}</MeContext>
}

function createVisitor(own: OwnAccount, reload: () => unknown, visible: (definition: Definition) => Definition) {
  const { permissions } = own.account
  const holds = (right: string): boolean => permissions.includes(right)
  return {
    ...own,
    reload,
    /** Returns the company's day, by which records are late or due. */
    today: (): string => dayIn(own.company.time_zone, new Date()),
    holds,
    may: (records: string, action: Action): boolean => holds(permission(records, action)),
    /** Returns whether the account may set the field of a record to this; a new record comes from null. */
    mayStep: (records: string, field: Pick<ChoiceField, 'approval'> | undefined, from: Json, to: string): boolean =>
      !isApproval(field ?? {}, from, to) || holds(permission(records, 'APPROVE')),
    /** Returns a resource without the fields that are withheld from the account; the same object for the same resource. */
    visible,
  }
}

export function useMe(): Visitor {
  const me = useContext(MeContext)
  if (!me) throw new Error('nobody is signed in here')
  return me
}
