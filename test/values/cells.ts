import { valueLabels } from '#derive/labels.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { DayOrder, DecimalSign, FaultCode, Habits, OpenHabit } from '#registry/fields/kind.ts'
import type { Json } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { catalogues } from '#registry/words/index.ts'
import data from './cells.json' with { type: 'json' }

/** Texts of people, and the value, the fault or the open habit that each is by the habits beside it. */

export type Outcome = { value: Json } | { code: FaultCode; part?: string } | { open: OpenHabit }
export type Cell = {
  class: string
  path: string
  definition: Definition
  field: Field
  text: string
  habits: Habits
  outcome: Outcome
}

/** `USD .` and `EUR ,` are a currency and a decimal sign, `day` and `month` the order of days; `?` is not decided. */
function habitsOf(words: string): Pick<Habits, 'currency' | OpenHabit> {
  const [currency = ''] = words.match(/[A-Z]{3}/) ?? ['USD']
  return {
    currency,
    decimal: words.match(/[.,]/)?.[0] as DecimalSign | undefined,
    dayOrder: words.match(/day|month/)?.[0] as DayOrder | undefined,
  }
}

/** Returns a field, or the member of one, by its path: `clients.billing_address.country`. */
export function fieldAt(path: string): { definition: Definition; field: Field } {
  const [resource = '', name = '', member] = path.split('.')
  const definition = definitionOf(registry, resource) as Definition
  const field = definition.fields[name] as Field
  return { definition, field: member === undefined ? field : (kindOf(field).members?.(field)[member] as Field) }
}

export const cells: readonly Cell[] = Object.entries(data).flatMap(([name, { field: path, rows }]) =>
  (rows as unknown as [string, string, Json][]).map(([text, words, expected]): Cell => {
    const { definition, field } = fieldAt(path)
    const labelsOf = valueLabels(catalogues, definition)
    const outcome =
      typeof expected === 'object' && expected !== null ? (expected as unknown as Outcome) : { value: expected }
    return {
      class: name,
      path,
      definition,
      field,
      text,
      habits: { language: 'en-GB', ...habitsOf(words), labelsOf },
      outcome,
    }
  }),
)
