import { type AddressField, address, type CountryField, country } from './address.ts'
import { type ChoiceField, choice, type FlagField, flag } from './choice.ts'
import { type EmailField, email, type PhoneField, phone, type UrlField, url } from './contact.ts'
import type { Kind } from './kind.ts'
import { type LinesField, lines } from './lines.ts'
import { type DecimalField, decimal, type IntegerField, integer, type MoneyField, money } from './number.ts'
import { type IdField, id, type ReferenceField, reference } from './reference.ts'
import { type ParagraphField, paragraph, type TextField, text } from './text.ts'
import { type DateField, date, type InstantField, instant } from './time.ts'

export type Field =
  | AddressField
  | ChoiceField
  | CountryField
  | DateField
  | DecimalField
  | EmailField
  | FlagField
  | IdField
  | InstantField
  | IntegerField
  | LinesField
  | MoneyField
  | ParagraphField
  | PhoneField
  | ReferenceField
  | TextField
  | UrlField

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

/** Returns the kind of a field, typed for that field. */
export function kindOf<F extends Field>(field: F): Kind<F> {
  return kinds[field.kind] as unknown as Kind<F>
}
