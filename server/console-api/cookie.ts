import { parseCookie, stringifySetCookie } from 'cookie'
import type { Config } from '../config/config.ts'
import type { Changes } from './operation-request.ts'

const sessionName = 'plumbline_session'
const devicesName = 'plumbline_device'
/** As long as browsers keep a cookie at most. */
const devicesSeconds = 400 * 24 * 3600

export const isOverTls = ({ publicUrl }: Pick<Config, 'publicUrl'>): boolean => publicUrl?.startsWith('https:') ?? false

/**
 * The cookies of the console. Over TLS their names have the prefix __Host-: no neighbour on the same site can set them,
 * and no page without TLS. How long a session counts is decided by the table, so its cookie has no date.
 */
export function cookiesOf(config: Pick<Config, 'publicUrl'>) {
  const secure = isOverTls(config)
  const prefix = secure ? '__Host-' : ''
  return {
    session: prefix + sessionName,
    devices: prefix + devicesName,
    /** The name that the session had without TLS, where it now has another. */
    formerSession: secure ? sessionName : null,
    attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  }
}

type Cookies = ReturnType<typeof cookiesOf>

/** What the browser shows. A session under its former name counts where there is none under the present one. */
export function shownCookies({ session, devices, formerSession }: Cookies, header: string | undefined) {
  const shown = parseCookie(header ?? '')
  const former = formerSession === null ? undefined : shown[formerSession]
  const present = shown[session]
  return {
    sessionText: present ?? former,
    sessionIsPlain: present === undefined && former !== undefined,
    devices: shown[devices],
  }
}

/** Tells the browser what changed. Wherever the session does, what it had under the former name goes. */
export function setCookies(
  { session: name, devices: devicesName, formerSession, attributes }: Cookies,
  { session, devices }: { [what in keyof Changes]: Changes[what] | undefined },
): string[] {
  const gone = { ...attributes, value: '', expires: new Date(0) }
  return [
    ...(session === undefined ? [] : [session === null ? { ...gone, name } : { ...attributes, name, value: session }]),
    ...(session === undefined || formerSession === null ? [] : [{ ...gone, name: formerSession }]),
    ...(devices === undefined ? [] : [{ ...attributes, name: devicesName, value: devices, maxAge: devicesSeconds }]),
  ].map((cookie) => stringifySetCookie(cookie))
}
