import { createContext, type ReactNode, useContext } from 'react'
import { type Action, permission } from '#registry/permissions.ts'
import { useLoaded } from '../door/use-loaded.ts'
import { Trouble } from '../look/trouble.tsx'
import { Waiting } from '../look/waiting.tsx'

/** The account that is signed in, and its company. */
export type Me = {
  account: { id: number; name: string; email: string; permissions: string[] }
  company: { id: number; name: string; currency: string; plan: string; add_ons: string[] }
}

type Known = Me & {
  reload(): Promise<void>
  may(records: string, action: Action): boolean
  holds(right: string): boolean
}

const MeContext = createContext<Known | null>(null)

/** Asks once who is there; everything inside can rely on it. */
export function MeProvider({ children }: { children: ReactNode }) {
  const { data, error, reload } = useLoaded<Me>('/me')
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
