import type { AuthProvider } from 'ra-core'
import type { BodyOf } from '#derive/console/operations.ts'
import type { AccountChoice } from './answers.ts'
import { ask, isUnauthorized } from './ask.ts'

/**
 * The provider of sign-in for ra-core. The session is in a cookie that no script can read. The browser stores only
 * that somebody signed in here, so that a page opened by a stranger sends no request that must be refused.
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
  // Only an ended session signs out. A 403 is about one request and is shown where it was sent.
  checkError: async (error) => {
    if (isUnauthorized(error)) throw error
  },
}

/** Thrown when a password is right for several accounts. Nobody is signed in until one is chosen. */
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
