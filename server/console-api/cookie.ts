import type { CookieSerializeOptions } from '@fastify/cookie'
import type { Config } from '../config.ts'
import type { ConsoleReply } from './asked.ts'

/**
 * The cookies of the console. Over TLS their names have the prefix __Host-: no neighbour on the same site can set them,
 * and no page without TLS. How long a session counts is decided by the table, so its cookie has no date.
 */
export type Cookies = {
  session: string
  devices: string
  /** The name that the session had without TLS, where it now has another. */
  formerSession: string | null
  attributes: CookieSerializeOptions
}

const sessionName = 'plumbline_session'
const devicesName = 'plumbline_device'
/** As long as browsers keep a cookie at most. */
const devicesSeconds = 400 * 24 * 3600

export const isOverTls = ({ publicUrl }: Pick<Config, 'publicUrl'>): boolean => publicUrl?.startsWith('https:') ?? false

export function cookiesOf(config: Pick<Config, 'publicUrl'>): Cookies {
  const secure = isOverTls(config)
  const prefix = secure ? '__Host-' : ''
  return {
    session: prefix + sessionName,
    devices: prefix + devicesName,
    formerSession: secure ? sessionName : null,
    attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  }
}

type Shown = { readonly [name: string]: string | undefined }

/** What the browser shows. A session under its former name counts where there is none under the present one. */
export function shownCookies({ session, devices, formerSession }: Cookies, shown: Shown) {
  const former = formerSession === null ? undefined : shown[formerSession]
  const present = shown[session]
  return {
    sessionText: present ?? former,
    sessionIsPlain: present === undefined && former !== undefined,
    devices: shown[devices],
  }
}

type Jar = {
  setCookie(name: string, value: string, options: CookieSerializeOptions): unknown
  clearCookie(name: string, options: CookieSerializeOptions): unknown
}

/** Tells the browser what changed. Wherever the session does, what it had under the former name goes. */
export function setCookies(
  cookies: Cookies,
  jar: Jar,
  { session, devices }: Pick<ConsoleReply, 'session' | 'devices'>,
) {
  const { attributes, formerSession } = cookies
  if (session === null) jar.clearCookie(cookies.session, attributes)
  else if (session !== undefined) jar.setCookie(cookies.session, session, attributes)
  if (session !== undefined && formerSession !== null) jar.clearCookie(formerSession, attributes)
  if (devices !== undefined) jar.setCookie(cookies.devices, devices, { ...attributes, maxAge: devicesSeconds })
}
