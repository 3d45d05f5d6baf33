import { moneyMax } from '../limits.ts'
import type { CommonMembers, Kind } from './kind.ts'

const int32Max = 2 ** 31 - 1

/** A whole number between two bounds, both included. */
type IntegerField = CommonMembers & { kind: 'integer'; min: number; max: number; example: number }

export const integer: Kind<IntegerField> = {
  schema: ({ min, max }) => ({
    type: 'integer',
    format: max > int32Max ? 'int64' : 'int32',
    minimum: min,
    maximum: max,
  }),
  must: ({ min, max }) => `must be a whole number from ${min} to ${max}`,
  column: () => 'integer',
  check: ({ min, max }, column) => `${column} between ${min} and ${max}`,
  example: ({ example }) => example,
  sortable: true,
}

/** An amount in the smallest unit of the company's currency (cents), as a whole number. */
type MoneyField = CommonMembers & { kind: 'money' }

export const money: Kind<MoneyField> = {
  schema: () => ({ type: 'integer', format: 'int64', minimum: 0, maximum: moneyMax }),
  must: () => `must be a whole number of minor units (cents) from 0 to ${moneyMax}`,
  column: () => 'bigint',
  check: (_, column) => `${column} between 0 and ${moneyMax}`,
  amount: (column) => `${column} > 0`,
  example: () => 1250000,
  sortable: true,
}

/** A number with up to `places` decimals between two bounds; `above` excludes the lower one. */
type DecimalField = CommonMembers & {
  kind: 'decimal'
  min: number
  max: number
  places: number
  above?: true
  example: number
}

export const decimal: Kind<DecimalField> = {
  schema: ({ min, max, above }) => ({
    type: 'number',
    format: 'double',
    ...(above ? { exclusiveMinimum: min } : { minimum: min }),
    maximum: max,
  }),
  // Only for values that are sent: 1.1 / 0.01 is no whole number to a validator that divides doubles, such as Ajv.
  asked: ({ places }) => ({ multipleOf: Number(`1e-${places}`) }),
  must: ({ min, max, above, places }) =>
    `must be a number ${above ? `above ${min} and up to` : `from ${min} to`} ${max} with at most ${places} decimals`,
  column: ({ max, places }) => `numeric(${String(max).length + places},${places})`,
  check: ({ min, max, above }, column) => `${column} ${above ? '>' : '>='} ${min} and ${column} <= ${max}`,
  // JSON has 12.5 and not 12.50.
  shown: (column) => `trim_scale(${column})`,
  refuses: ({ places }, value) => decimalsOf(value as number) > places,
  example: ({ example }) => example,
  sortable: true,
  remark: ({ places }) => `At most ${places} decimals.`,
}

/** Returns the decimals in the shortest spelling of a number: two for 0.25, seven for 1e-7. */
export function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const written = mantissa.split('.')[1]?.length ?? 0
  return Math.max(0, written - Number(exponent))
}
