import { createContext, type ReactNode, useContext } from 'react'
import type { Me } from '#derive/console/answers.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { useLoaded } from '../client/use-loaded.ts'
import { Trouble } from '../ui/trouble.tsx'
import { Waiting } from '../ui/waiting.tsx'

type Known = Me & {
  reload(): Promise<void>
  may(records: string, action: Action): boolean
  holds(right: string): boolean
}

const MeContext = createContext<Known | null>(null)

/** Asks once who is there; everything inside can rely on it. */
export function MeProvider({ children }: { children: ReactNode }) {
  const { data, error, reload } = useLoaded('me.fetch')
  if (error) return <Trouble error={error} retry={reload} />
  if (!data) return <Waiting whole />
  const { permissions } = data.account
  const known: Known = {
    ...data,
    reload,
    may: (records, action) => permissions.includes(permission(records, action)),
    holds: (right) => permissions.includes(right),
  }
  return <MeContext value={known}>{children}</MeContext>
}

export function useMe(): Known {
  const me = useContext(MeContext)
  if (!me) throw new Error('nobody is signed in here')
  return me
}
