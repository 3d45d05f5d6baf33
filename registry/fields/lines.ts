import { linesMax } from '../limits.ts'
import type { Field } from './index.ts'
import { type CommonMembers, type Kind, refuse } from './kind.ts'
import { spell } from './spelling.ts'

/** The priced lines of an estimate or an invoice, in their order. */
type LinesField = CommonMembers & { kind: 'lines' }

/** One stored line; every member is present. */
export type Line = { description: string; quantity: number; unit: string | null; unit_price_minor: number }

export const quantityPlaces = 4

const members: { readonly [name: string]: Field } = {
  description: {
    kind: 'text',
    max: 500,
    required: true,
    example: 'Brickwork, facing',
    about: 'What is done or delivered.',
  },
  quantity: {
    kind: 'decimal',
    min: 0,
    above: true,
    max: 1_000_000_000,
    places: quantityPlaces,
    initial: 1,
    required: true,
    example: 42.5,
    about: 'How many units.',
  },
  unit: { kind: 'text', max: 20, example: 'm2', about: 'The unit counted.' },
  unit_price_minor: {
    kind: 'money',
    initial: 0,
    required: true,
    example: 8900,
    about: 'Price of one unit, in minor units of the currency.',
  },
}

export const lines: Kind<LinesField> = {
  schema: () => ({ type: 'array', maxItems: linesMax }),
  must: () => `must be a list of at most ${linesMax} lines`,
  column: () => 'json',
  members: () => members,
  many: true,
  amount: (column) => `json_array_length(${column}) > 0`,
  typeName: () => 'EstimateLine',
  parse: (text) => refuse('no_text', spell(text)),
  format: (value) => JSON.stringify(value),
  example: () => [{ description: 'Brickwork, facing', quantity: 42.5, unit: 'm2', unit_price_minor: 8900 }],
}
