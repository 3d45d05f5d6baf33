import { type CommonMembers, type Kind, refuse } from './kind.ts'
import { spell } from './spelling.ts'

/** The number of a bank account (ISO 13616), stored without blanks. */
type IbanField = CommonMembers & { kind: 'iban' }

export const iban: Kind<IbanField> = {
  schema: () => ({ type: 'string', minLength: 15, maxLength: 34, pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]+$' }),
  must: () => 'must be an IBAN of ISO 13616 with right check digits, like DE89370400440532013000',
  column: () => 'text',
  check: (_, column) => `char_length(${column}) between 15 and 34`,
  refuses: (_, value) => remainder(value as string) !== 1n,
  parse(text) {
    const value = spell(text).replaceAll(' ', '').toUpperCase()
    const [strange] = value.match(/[^A-Z0-9]/u) ?? []
    return strange === undefined ? { value: value || null } : refuse('wrong_format', strange)
  },
  format: (value) => String(value).replaceAll(/(.{4})(?=.)/g, '$1 '),
  example: () => 'DE89370400440532013000',
}

/** Returns the remainder by 97 of the number that an IBAN is: its first four signs stand last, and letters count from 10. */
const remainder = (value: string): bigint =>
  BigInt((value.slice(4) + value.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(parseInt(letter, 36)))) % 97n
