import { address, country } from './address.ts'
import { choice, flag } from './choice.ts'
import { email, phone, url } from './contact.ts'
import type { Kind } from './kind.ts'
import { lines } from './lines.ts'
import { decimal, integer, money } from './number.ts'
import { id, reference } from './reference.ts'
import { paragraph, text } from './text.ts'
import { date, instant } from './time.ts'

export const kinds = {
  address,
  choice,
  country,
  date,
  decimal,
  email,
  flag,
  id,
  instant,
  integer,
  lines,
  money,
  paragraph,
  phone,
  reference,
  text,
  url,
}

/** A field of any kind: what the functions of its kind accept. */
export type Field = Parameters<(typeof kinds)[keyof typeof kinds]['example']>[0]

/** Returns the kind of a field, typed for that field. */
export function kindOf<F extends Field>(field: F): Kind<F> {
  return kinds[field.kind] as unknown as Kind<F>
}
