import { query, type Statement } from '../statement.ts'

/** A picture of a company's letterhead. */
export type LogoRow = { type: 'image/png' | 'image/jpeg'; bytes: Buffer }

/** Reads a logo by the SHA-256 of its bytes, in hexadecimal: a paper names the one that it was issued with. */
export const findLogo = (companyId: number, hash: string): Statement =>
  query('logos.find')`select type, bytes from company_logos where company_id = ${companyId} and hash = ${hash}`
