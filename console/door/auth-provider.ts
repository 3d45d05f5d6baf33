import type { AuthProvider } from 'react-admin'
import { ask, isUnauthorized } from './ask.ts'

/**
 * Who is signed in is known to the service alone; a cookie that no script can read says so. The browser only remembers
 * that somebody signed in here, so that a page opened by a stranger asks nothing that is bound to be refused.
 */
export const authProvider: AuthProvider = {
  login: async ({ email, password }: { email: string; password: string }) => {
    await ask('POST', '/session', { body: { email, password } })
    localStorage.setItem(remembered, 'yes')
  },
  logout: async () => {
    if (!mayBeSignedIn()) return
    localStorage.removeItem(remembered)
    await ask('DELETE', '/session').catch(() => undefined)
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

const remembered = 'plumbline.signed-in'

export const mayBeSignedIn = (): boolean => localStorage.getItem(remembered) !== null
