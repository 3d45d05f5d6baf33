import { createHash } from 'node:crypto'
import { logoBytesMax, logoSideMax, type PictureType, pictureSize, pictureTypes } from '#registry/picture.ts'
import { invalidField, Refusal } from '#registry/refusals.ts'
import { type CompanyRow, lockCompany } from '#sql/system/companies.ts'
import { closeGate } from '#sql/system/locks.ts'
import { chooseLogo, deleteUnusedLogos, findLogo, insertLogo, type LogoRow } from '#sql/system/logos.ts'
import type { Actor } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import { audit } from './audit-log.ts'
import { hasPixels } from './png-pixels.ts'

/** Returns the logo that a body is. Throws if it is too large, or no picture of its type. */
export function checkLogo(body: { bytes: Buffer } | 'too large', contentType: string | undefined): LogoRow {
  if (body === 'too large')
    throw new Refusal('payload_too_large', { detail: `A logo has at most ${logoBytesMax / 1024} KiB.` })
  const type = pictureTypes.find((one) => one === contentType?.trim().toLowerCase())
  if (type === undefined)
    throw new Refusal('unsupported_media_type', {
      detail: `Send the picture itself, with "Content-Type: ${pictureTypes.join('" or "')}".`,
      headers: { Accept: pictureTypes.join(', ') },
    })
  const size = pictureSize(type, body.bytes)
  if (!size) throw invalidField('logo', 'wrong_format', `must be a picture of the type ${nameOf(type)}`)
  const { width, height } = size
  if (Math.max(width, height) > logoSideMax) {
    const message = `must be at most ${logoSideMax} pixels wide and high; it has ${width} × ${height}`
    throw invalidField('logo', 'out_of_range', message)
  }
  if (type === 'image/png' && !hasPixels(body.bytes))
    throw invalidField('logo', 'wrong_format', 'must be a whole picture: its pixels are not those that it states')
  return { type, bytes: body.bytes }
}

/**
 * Gives the company a logo, or none, and returns its hash. A former one stays as long as a paper names it. The gate keeps every
 * write of the company away, so that no paper is issued with a logo that is deleted at the same time.
 */
export async function setLogo(transaction: Transaction, actor: Actor, logo: LogoRow | null): Promise<string | null> {
  const { companyId } = actor
  await transaction.run(closeGate(companyId))
  await transaction.run<CompanyRow>(lockCompany(companyId))
  const [before] = await transaction.run<LogoRow>(findLogo(companyId, null))
  const hash = logo && createHash('sha256').update(logo.bytes).digest('hex')
  if (logo && hash) await transaction.run(insertLogo(companyId, hash, logo))
  await transaction.run(chooseLogo(companyId, hash))
  await transaction.run(deleteUnusedLogos(companyId))
  const changes = { logo: [before ? nameOf(before.type) : null, logo && nameOf(logo.type)] }
  if (before || logo)
    await audit(transaction, actor, { records: 'companies', recordId: companyId, action: 'changed', changes })
  return hash
}

const nameOf = (type: PictureType): string => type.slice('image/'.length).toUpperCase()
