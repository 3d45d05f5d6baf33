import { currencies } from '../iso-codes.ts'
import { type CommonMembers, type Kind, refuse } from './kind.ts'
import { spell } from './spelling.ts'

/** A currency that amounts are paid in, as three capital letters (ISO 4217). */
type CurrencyField = CommonMembers & { kind: 'currency' }

export const currency: Kind<CurrencyField> = {
  schema: () => ({ type: 'string', pattern: '^[A-Z]{3}$' }),
  must: () => 'must be a code of ISO 4217 like USD',
  column: () => 'text',
  check: (_, column) => `${column} ~ '^[A-Z]{3}$'`,
  refuses: (_, value) => !currencies.includes(value as string),
  parse(text) {
    const code = spell(text).toUpperCase()
    if (code === '') return { value: null }
    return currencies.includes(code) ? { value: code } : refuse('wrong_format', code)
  },
  format: (value) => String(value),
  example: () => 'USD',
}
