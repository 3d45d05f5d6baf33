import { parseCookie, stringifySetCookie } from 'cookie'
import type { Config } from '../config/config.ts'
import type { Changes } from './operation-request.ts'

const sessionName = 'plumbline_session'
const devicesName = 'plumbline_device'
/** Browsers keep a cookie for this long at most. */
const devicesSeconds = 400 * 24 * 3600

export const isOverTls = ({ publicUrl }: Pick<Config, 'publicUrl'>): boolean => publicUrl?.startsWith('https:') ?? false

/**
 * Returns the cookies of the console. Over TLS their names have the prefix __Host-, so that no neighbour on the same
 * site can set them, and no page without TLS. The table decides how long a session lasts, so its cookie has no date.
 */
export function cookiesOf(config: Pick<Config, 'publicUrl'>) {
  const secure = isOverTls(config)
  const prefix = secure ? '__Host-' : ''
  return {
    session: prefix + sessionName,
    devices: prefix + devicesName,
    /** The name that the session had without TLS; null without TLS. */
    formerSession: secure ? sessionName : null,
    attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  }
}

type Cookies = ReturnType<typeof cookiesOf>

/** Returns the cookies of a request. A session under its former name counts if there is none under the current one. */
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

/** Returns the headers for changed cookies. A change of the session also deletes the cookie of its former name. */
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
