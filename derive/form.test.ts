import { describe, expect, test } from 'vitest'
import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { kinds } from '#registry/fields/index.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { isBusinessDocument, isLookup, relatedTo, stepsFrom } from './form/relations.ts'
import { amountField } from './form/steps.ts'
import { columnsOf, filtersOf } from './form/table.ts'
import { computedFields, fieldAt, fieldsOf, formSections, showSections, valueAt } from './form.ts'

const named = (name: string) => definitionOf(registry, name) as Definition
const namesOf = (fields: readonly { name: string }[]) => fields.map(({ name }) => name)

describe.each(registry)('The pages of $name', (definition) => {
  test('ask for every field that can be sent, once', () => {
    const asked = formSections(definition).flatMap(({ fields }) => namesOf(fields))
    const writable = fieldsOf(definition).filter(({ readOnly }) => !readOnly)
    expect(asked.toSorted()).toEqual(namesOf(writable).toSorted())
  })

  test('show every field but the title, which is the heading', () => {
    const shown = showSections(definition).flatMap(({ fields }) => namesOf(fields))
    const all = namesOf(fieldsOf(definition)).filter((name) => name !== definition.title && !isCompanyField(name))
    expect(shown.toSorted()).toEqual(all.toSorted())
  })

  test('begin their table with the title, and show at most seven columns until others are chosen', () => {
    const columns = columnsOf(definition)
    expect(columns[0]?.name).toBe(definition.title)
    expect(columns.filter(({ initial }) => initial).length).toBeLessThanOrEqual(7)
  })
})

test('A field added to a definition is in its form, its page, its table and, as a filter, above its list', () => {
  const clients = named('clients')
  const extended: Definition = {
    ...clients,
    fields: {
      ...clients.fields,
      loyalty: { kind: 'choice', values: ['GOLD', 'SILVER'], about: 'How loyal the client is.' },
    },
    filters: [...clients.filters, 'loyalty'],
  }
  expect(namesOf(formSections(extended).flatMap(({ fields }) => fields))).toContain('loyalty')
  expect(namesOf(showSections(extended).flatMap(({ fields }) => fields))).toContain('loyalty')
  expect(namesOf(columnsOf(extended))).toContain('loyalty')
  expect(filtersOf(extended).map(({ parameter }) => parameter)).toContain('loyalty')
})

test('Every kind of field has its place in a form', () => {
  const every: Definition = {
    ...named('clients'),
    fields: Object.fromEntries(Object.keys(kinds).map((kind) => [kind, fieldOf(kind)])),
  }
  expect(namesOf(formSections(every).flatMap(({ fields }) => fields)).toSorted()).toEqual(Object.keys(kinds).toSorted())
})

const fieldOf = (kind: string) => ({ kind, about: '', values: [], max: 1, min: 0, places: 0, to: 'clients' }) as never

test('A day is a filter from and to, and a reference offers only what may stand there', () => {
  expect(filtersOf(named('projects')).map(({ parameter }) => parameter)).toEqual([
    'status',
    'client_id',
    'category_id',
    'manager_id',
    'start_date_from',
    'start_date_to',
    'end_date_from',
    'end_date_to',
  ])
  expect(fieldsOf(named('projects')).find(({ name }) => name === 'category_id')?.only).toEqual({ kind: 'project' })
})

test.each([
  { resource: 'estimates', path: 'lines[1].quantity', kind: 'decimal', value: '12 bags' },
  { resource: 'estimates', path: 'lines[1]', kind: 'lines', value: null },
  { resource: 'estimates', path: 'lines[2].quantity', kind: 'decimal', value: null },
  { resource: 'estimates', path: 'title', kind: 'text', value: 'Wall' },
  { resource: 'clients', path: 'billing_address.city', kind: 'text', value: 'Bristol' },
  { resource: 'clients', path: 'billing_address.planet', kind: undefined, value: null },
])('The field and the value at a path: $path', ({ resource, path, kind, value }) => {
  const values = { title: 'Wall', billing_address: { city: 'Bristol' }, lines: [{}, { quantity: '12 bags' }] }
  expect(fieldAt(fieldsOf(named(resource)), path)?.kind).toBe(kind)
  expect(valueAt(values, path)).toEqual(value)
})

test('Amounts inside lines are typed as amounts, and the totals are known to follow from them', () => {
  const lines = fieldsOf(named('estimates')).find(({ name }) => name === 'lines')
  expect(lines?.members?.map(({ name, kind }) => [name, kind])).toEqual([
    ['description', 'text'],
    ['quantity', 'decimal'],
    ['unit', 'text'],
    ['unit_price_minor', 'money'],
  ])
  expect(namesOf(computedFields(named('estimates')))).toEqual([
    'subtotal_minor',
    'discount_minor',
    'tax_minor',
    'total_minor',
  ])
})

test('What refers to a record is found with the field that does', () => {
  expect(relatedTo('workers').map(({ records, by }) => `${records.name}.${by}`)).toEqual([
    'projects.manager_id',
    'workers.supervisor_id',
    'equipment.worker_id',
    'time_entries.worker_id',
  ])
})

test('Lists are words to sort by; business documents are what the day’s work leaves', () => {
  expect(namesOf(registry.filter(isLookup))).toEqual(['trades', 'categories'])
  expect(namesOf(registry.filter(isBusinessDocument))).toEqual([
    'tasks',
    'contacts',
    'time_entries',
    'invoices',
    'payments',
    'contracts',
    'equipment_logs',
  ])
})

test('The steps open from a state are those of its definition', () => {
  expect(stepsFrom(named('estimates'), 'SENT')).toEqual(['ACCEPTED', 'REJECTED', 'EXPIRED'])
  expect(stepsFrom(named('workers'), 'ACTIVE')).toEqual([])
})

test.each([
  ['invoices', 'total_minor'],
  ['payments', 'amount_minor'],
  ['contracts', 'amount_minor'],
  ['tasks', undefined],
])('The amount of %s is %s', (name, amount) => expect(amountField(named(name))?.name).toBe(amount))
