import type { JsonObject } from '#registry/json.ts'

/**
 * The content of a paper: all that is printed of a record, as it was when the paper was made. It is stored whole, so
 * that a later change of the record, the client or the company changes no paper that was issued. Decisions, Papers.
 */
export type PaperContent = {
  /** The record as the interface shows it, with its lines and its amounts in minor units. */
  record: PaperRecord
  /** The record to which the paper goes, by the fields that its definition names; null if a draft names none yet. */
  addressee: PaperAddressee | null
  letterhead: PaperLetterhead
}

/** A record with the members of its definition. */
export type PaperRecord = JsonObject & { id: number }

export type PaperAddressee = {
  id: number
  name: string
  contact_name: string | null
  tax_id: string | null
  billing_address: PaperAddress | null
}

/** The company as its papers show it. */
export type PaperLetterhead = {
  name: string
  /** ISO 4217. */
  currency: string
  address: PaperAddress | null
  tax_id: string | null
  registration_no: string | null
  email: string | null
  phone: string | null
  website: string | null
  bank_name: string | null
  iban: string | null
  bic: string | null
  paper_language: 'en' | 'de' | null
  footer: string | null
  /** The SHA-256 of the logo, in hexadecimal; null without one. */
  logo: string | null
}

/** A postal address; each member may be null. */
export type PaperAddress = {
  line1: string | null
  line2: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  /** ISO 3166-1, two letters. */
  country: string | null
}

/** The answer of `GET /console/records/{records}/{id}/paper`. */
export type Paper = {
  content: PaperContent
  /** Whether the content is stored; otherwise it is that of now, and changes with the record. */
  is_fixed: boolean
  /**
   * Whether the record may still change, and what would be printed of it now is another content than the stored one: it
   * is to be sent again.
   */
  is_changed: boolean
  /**
   * The state of the record that stands across the paper: that of a draft, or one in which a fixed paper no longer counts.
   */
  across: string | null
  /** The version of the record that it shows. */
  version: number
  /** When the paper was made, ISO 8601 in UTC; null if it is not fixed. */
  at: string | null
  /** The day on which it was sent, `YYYY-MM-DD`, and how; null if it was not. */
  sent_on: string | null
  sent_by: SendingMethod | null
}

/** The ways on which a paper goes to its addressee. */
export const sendingMethods = ['EMAIL', 'POST', 'IN_PERSON', 'OTHER'] as const
export type SendingMethod = (typeof sendingMethods)[number]
