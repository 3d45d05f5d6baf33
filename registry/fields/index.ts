import { address, country } from './address.ts'
import { type ChoiceField, choice, flag } from './choice.ts'
import { email, phone, url } from './contact.ts'
import { currency } from './currency.ts'
import { iban } from './iban.ts'
import type { Kind } from './kind.ts'
import { lines } from './lines.ts'
import { decimal, integer, money } from './number.ts'
import { id, type ReferenceField, reference } from './reference.ts'
import { paragraph, text } from './text.ts'
import { date, instant } from './time.ts'
import { timeZone } from './time-zone.ts'

export const kinds = {
  address,
  choice,
  country,
  currency,
  date,
  decimal,
  email,
  flag,
  iban,
  id,
  instant,
  integer,
  lines,
  money,
  paragraph,
  phone,
  reference,
  text,
  time_zone: timeZone,
  url,
}

/** A field of any kind: what the functions of its kind accept. */
export type Field = Parameters<(typeof kinds)[keyof typeof kinds]['example']>[0]

/** Returns the kind of a field, typed for that field. */
export function kindOf<F extends Field>(field: F): Kind<F> {
  return kinds[field.kind] as unknown as Kind<F>
}

/** Returns the field as a reference, if its value leads to a record. */
export const referenceOf = (field: Field | undefined): ReferenceField | undefined =>
  field && kindOf(field).reference?.(field)

/** Returns the prefix of the running numbers that fill the field if nobody does. */
export const numberingOf = (field: Field): string | undefined => kindOf(field).numbering?.(field)

/** Returns the field as a choice, if its value is one of a few words. */
export const choiceOf = (field: Field | undefined): ChoiceField | undefined => field && kindOf(field).choice?.(field)
