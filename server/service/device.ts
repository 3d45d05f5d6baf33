import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { dayMilliseconds } from '#derive/moment.ts'
import { derivedKey } from '../store/seal.ts'

/**
 * A device: a browser in which an account has signed in before. The browser keeps a signed text with the account and
 * the time, so nothing is stored here. A device gives no access. Its attempts are counted apart from those of
 * strangers, who could otherwise use them up. Decisions, Console.
 */
export type Device = { companyId: number; accountId: number; since: number; id: string }

/** The keys of the service, the signing one first. Signatures of a former key stay valid while that key is known. */
export type Keys = readonly [string, ...string[]]

/** Several people may share a browser. */
const devicesMax = 5
export const deviceDays = 400

const fields = { companyId: 6, accountId: 6, since: 6, id: 16 } as const
const bodyBytes = Object.values(fields).reduce((sum, bytes) => sum + bytes, 0)
const signatureBytes = 32
const textLength = ((bodyBytes + signatureBytes) * 4) / 3

/** Returns the devices that a browser sends, the last first, without foreign and old ones. */
export function readDevices(keys: Keys, text: string | undefined, now: Date): Device[] {
  return (text ?? '')
    .split('.')
    .slice(0, devicesMax)
    .flatMap((one) => readDevice(keys, one) ?? [])
    .filter(({ since }) => since > now.getTime() - deviceDays * dayMilliseconds)
}

/** Returns the text for the browser after a sign-in: the new device first, then those of other accounts. */
export function addDevice([key]: Keys, known: readonly Device[], account: Account, now: Date): string {
  const added = { ...account, since: now.getTime(), id: randomBytes(fields.id).toString('hex') }
  const others = known.filter((device) => !isOf(device, account))
  return [added, ...others]
    .slice(0, devicesMax)
    .map((device) => writeDevice(key, device))
    .join('.')
}

export const isOf = (device: Device, { companyId, accountId }: Account): boolean =>
  device.companyId === companyId && device.accountId === accountId

type Account = Pick<Device, 'companyId' | 'accountId'>

function readDevice(keys: Keys, text: string): Device | undefined {
  if (text.length !== textLength || !/^[\w-]+$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const body = bytes.subarray(0, bodyBytes)
  const signature = bytes.subarray(bodyBytes)
  if (!keys.some((key) => timingSafeEqual(signature, signatureOf(key, body)))) return undefined
  return {
    companyId: body.readUIntBE(0, 6),
    accountId: body.readUIntBE(6, 6),
    since: body.readUIntBE(12, 6),
    id: body.subarray(18).toString('hex'),
  }
}

function writeDevice(key: string, { companyId, accountId, since, id }: Device): string {
  const body = Buffer.alloc(bodyBytes)
  body.writeUIntBE(companyId, 0, 6)
  body.writeUIntBE(accountId, 6, 6)
  body.writeUIntBE(since, 12, 6)
  Buffer.from(id, 'hex').copy(body, 18)
  return Buffer.concat([body, signatureOf(key, body)]).toString('base64url')
}

const signatureOf = (key: string, body: Buffer): Buffer =>
  createHmac('sha256', derivedKey(key, 'plumbline device')).update(body).digest()
