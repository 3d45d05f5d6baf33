import type { PictureType } from '#registry/picture.ts'
import { rowsOf } from '../access.ts'
import { query, type Statement, sql } from '../statement.ts'

/** A picture of a company's letterhead. */
export type LogoRow = { type: PictureType; bytes: Buffer }

/** Reads a logo by the SHA-256 of its bytes, in hexadecimal, which a paper names; null is the company's present one. */
export const findLogo = (companyId: number, hash: string | null): Statement =>
  query('logos.find')`select type, bytes from company_logos where company_id = ${companyId}
    and hash = coalesce(${hash}, (select logo_hash from companies where id = ${companyId}))`

export const insertLogo = (companyId: number, hash: string, { type, bytes }: LogoRow): Statement =>
  query('logos.insert')`insert into company_logos (company_id, hash, type, bytes)
    values (${companyId}, ${hash}, ${type}, ${bytes}) on conflict (company_id, hash) do nothing`

/** Makes the logo with the hash the company's present one; null is none. */
export const chooseLogo = (companyId: number, hash: string | null): Statement =>
  query('logos.choose')`update companies set logo_hash = ${hash} where id = ${companyId}`

/** Deletes the logos that are not the present one, and that no paper names. No write of the company runs meanwhile. */
export const deleteUnusedLogos = (companyId: number): Statement => {
  const unused = sql`company_id = ${companyId}
      and hash is distinct from (select logo_hash from companies where id = ${companyId})
      and not exists (
        select from papers p where p.company_id = ${companyId} and p.content -> 'letterhead' ->> 'logo' = company_logos.hash
      )`
  return query('logos.delete-unused')`delete from company_logos
    where ${rowsOf('company_logos', companyId, 'hash', unused)}`
}
