import type { CookieSerializeOptions } from '@fastify/cookie'
import type { Config } from '../config.ts'

/** The cookie of a session. It has no date: how long it counts is decided by the table. */
export const cookieName = 'plumbline_session'

export const cookieAttributes = ({ publicUrl }: Config): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: publicUrl?.startsWith('https:') ?? false,
})
