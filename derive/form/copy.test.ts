import { describe, expect, test } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { recordExample } from '../examples.ts'
import { canBeCopied, copyActionsOf, copyOf } from './copy.ts'

const named = (name: string) => definitionOf(registry, name) as Definition

test('A copy has the values that can be written, and neither number, state nor days, nor what the original replaces', () => {
  const lines = [{ description: 'Wall', quantity: 1, unit: null, unit_price_minor: 100 }]
  const invoice: JsonObject = {
    ...{ id: 7, number: 'INV-000007', status: 'ISSUED', client_id: 3, project_id: null, replaces_id: 5, lines },
    ...{ issued_on: '2026-03-01', due_on: '2026-03-31', total_minor: 100, external_ref: 'X', note: 'Thank you.' },
  }
  expect(copyOf(named('invoices'), invoice)).toEqual({ client_id: 3, lines, note: 'Thank you.' })
})

test.each(registry.filter(({ actions }) => actions))(
  'An action with a copy is open in its states alone: $name',
  (definition) => {
    for (const { from, copy } of definition.actions ?? []) {
      const [[column, values] = ['', []]] = Object.entries(from)
      const open = (state: string | boolean) => copyActionsOf(definition, { [column]: state }).map((one) => one.copy)
      expect(values.flatMap(open)).toEqual(values.map(() => copy))
      expect(open('no such state')).toEqual([])
    }
  },
)

describe('Copies', () => {
  test.each(registry)('of $name can be sent in a new form', (definition) => {
    const copy = copyOf(definition, recordExample(definition))
    for (const name of Object.keys(copy)) {
      const field = definition.fields[name]
      expect([field?.readOnly, field?.unique, field?.kind === 'date'], name).toEqual([undefined, undefined, false])
    }
  })

  test('are offered of everything but persons and words of lists', () => {
    const offered = registry.filter((definition) => canBeCopied(definition, recordExample(definition)))
    for (const { name, person } of offered) expect(person === true, name).toBe(false)
    const names = offered.map(({ name }) => name)
    for (const name of ['projects', 'estimates', 'invoices', 'equipment']) expect(names).toContain(name)
    for (const name of ['workers', 'contacts', 'trades', 'categories']) expect(names).not.toContain(name)
  })
})
