import type { AuthProvider } from 'react-admin'
import type { BodyOf } from '#derive/console/operations.ts'
import type { AccountChoice } from '#derive/console/responses.ts'
import { ask, isUnauthorized } from './ask.ts'

/**
 * Who is signed in is known to the service alone; a cookie that no script can read says so. The browser only remembers
 * that somebody signed in here, so that a page opened by a stranger asks nothing that is bound to be refused.
 */
export const authProvider: AuthProvider = {
  login: async (given: BodyOf<'session.begin'>) => {
    const { data } = await ask('session.begin', { body: given })
    if ('choose' in data) throw new SeveralAccounts(data.choose)
    localStorage.setItem(remembered, 'yes')
  },
  logout: async () => {
    if (!mayBeSignedIn()) return
    localStorage.removeItem(remembered)
    await ask('session.end').catch(() => undefined)
  },
  checkAuth: async () => {
    if (!mayBeSignedIn()) throw new Error('nobody has signed in here')
  },
  // A 403 is about one thing and is said where it was asked; only a session that has ended signs out.
  checkError: async (error) => {
    if (isUnauthorized(error)) throw error
  },
  getPermissions: async () => undefined,
}

/** The password is right for several accounts; nobody is signed in until one is chosen. */
export class SeveralAccounts extends Error {
  readonly choices: readonly AccountChoice[]
  constructor(choices: readonly AccountChoice[]) {
    super('one of several accounts has to be chosen')
    this.name = 'SeveralAccounts'
    this.choices = choices
  }
}

const remembered = 'plumbline.signed-in'

export const mayBeSignedIn = (): boolean => localStorage.getItem(remembered) !== null
