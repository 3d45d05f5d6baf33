import { describe, expect, test } from 'vitest'
import { recordExample } from '#derive/examples.ts'
import { matchFieldsOf } from '#derive/import/targets.ts'
import { calculatedFields } from '#derive/input.ts'
import { mayBeNull } from '#derive/schema.ts'
import { sumsOfComputed, sumsOfWrites } from '#derive/sums.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { FieldRight } from '#registry/fields/kind.ts'
import { countries, currencies } from '#registry/iso-codes.ts'
import { isSameJson, type JsonObject } from '#registry/json.ts'
import { permissions, scopes } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { records as german } from '#registry/words/de.ts'
import type { RecordTexts } from '#registry/words/en.ts'
import { equalityIndexes } from '#sql/records/columns.ts'

/** Returns the references of a resource with the definitions that they lead to. */
const targetsOf = ({ fields }: Definition): [string, Definition][] =>
  Object.entries(fields).flatMap(([name, field]): [string, Definition][] => {
    const target = field.kind === 'reference' ? definitionOf(registry, field.to) : undefined
    return target ? [[name, target]] : []
  })

const readsOf = (field: Field | undefined): readonly string[] => (field?.kind === 'reference' && field.reads) || []

/** Returns a record of each value of each choice, and nothing else in it. */
const statesOf = ({ fields }: Definition): JsonObject[] => [
  {},
  ...Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'choice' ? field.values.map((value) => ({ [name]: value })) : [],
  ),
]

/** What must be true of every definition, so that what is derived from it can rely on it. */
describe.each(registry)('$name', (definition: Definition) => {
  const { name, title, fields, search, filters, protection, removal } = definition

  test('names its title, its searchable fields and its filters among its fields', () => {
    for (const field of [title, ...search, ...filters]) expect(Object.keys(fields)).toContain(field)
  })

  test('withholds no title, no required field and no reference, and nothing inside a value', () => {
    for (const [name, field] of Object.entries(fields)) {
      const inside = Object.values(kindOf(field).members?.(field) ?? {})
      expect(
        inside.filter(({ right }) => right),
        name,
      ).toEqual([])
      for (const read of field.kind === 'reference' ? Object.values(field.gives?.fields ?? {}) : []) {
        const target = field.kind === 'reference' ? definitionOf(registry, field.to) : undefined
        expect([read, target?.fields[read]?.right]).toEqual([read, undefined])
      }
      if (field.right === undefined) continue
      expect(
        [name === title, field.required === true, field.kind === 'reference', field.readOnly === true],
        name,
      ).toEqual([false, false, false, calculatedFields(definition).includes(name)])
    }
  })

  test('judges no record by a field with a right, its own or of a record referred to, so that no problem tells one', () => {
    const read = new Set<FieldRight | undefined>()
    const seen = (record: JsonObject, of: Definition = definition): JsonObject =>
      new Proxy(record, {
        get(target, name) {
          read.add(of.fields[String(name)]?.right)
          return target[String(name)]
        },
      })
    const example = recordExample(definition)
    const found = Object.fromEntries(
      targetsOf(definition).map(([field, target]) => [field, seen(recordExample(target), target)]),
    )
    for (const record of [example, Object.fromEntries(Object.keys(fields).map((field) => [field, null]))]) {
      const after = { ...record, lines: [] }
      const isChanged = (name: string): boolean => seen(after)[name] !== seen(example)[name]
      const write = { before: seen(example), found, sums: {}, today: '2026-01-01', isChanged, isRefused: () => false }
      for (const rule of [...(definition.rules ?? []), ...(definition.doubts ?? [])])
        rule({ ...write, after: seen(after) })
    }
    expect([...read]).toEqual(read.size > 0 ? [undefined] : [])
  })

  test('gives each calculated field the right of what it is made from', () => {
    const { computed } = definition
    const own = Object.entries(fields).map(([field, { right }]) => ({ field, right, of: undefined }))
    const referred = targetsOf(definition).flatMap(([reference, target]) =>
      readsOf(fields[reference]).map((field) => ({ field, right: target.fields[field]?.right, of: reference })),
    )
    for (const state of statesOf(definition))
      for (const { field, right, of } of [...own, ...referred]) {
        if (right === undefined) continue
        const calculate = (amount: number): JsonObject => {
          const record = { ...recordExample(definition), ...state, ...(of ? {} : { [field]: amount }) }
          const found = of ? { [of]: { [field]: amount } } : {}
          return computed?.(record, { before: null, sent: {}, found, sums: {} }) ?? {}
        }
        const [one, other] = [calculate(100), calculate(200)]
        const dependent = Object.keys(one).filter((name) => !isSameJson(one[name], other[name]))
        for (const name of dependent) expect([name, fields[name]?.right]).toEqual([name, right])
      }
  })

  test('compares doubles by fields that several records may have, and that records are found by', () => {
    for (const field of definition.alike ?? []) {
      expect(fields[field]?.unique, field).toBeUndefined()
      expect(matchFieldsOf(definition)).toContain(field)
    }
  })

  test('has nothing follow from a field that is always set', () => {
    for (const { follows } of Object.values(fields))
      if (follows !== undefined) expect(mayBeNull(fields[follows] as Field), follows).toBe(true)
  })

  test('refers to kinds that exist, by columns that they have', () => {
    for (const field of Object.values(fields)) {
      if (field.kind !== 'reference') continue
      const target = definitionOf(registry, field.to)
      expect(target, field.to).toBeDefined()
      for (const column of [...(field.reads ?? []), ...(field.only ? [field.only.column] : [])])
        expect(Object.keys(target?.fields ?? {})).toContain(column)
    }
  })

  test('begins records made from others with fields that both have', () => {
    for (const field of Object.values(fields)) {
      if (field.kind !== 'reference' || !field.gives) continue
      const target = definitionOf(registry, field.to)
      for (const column of Object.keys(field.gives.when ?? {}))
        expect(Object.keys(target?.fields ?? {})).toContain(column)
      for (const [ours, theirs] of Object.entries(field.gives.fields)) {
        expect(target?.fields).toHaveProperty(theirs)
        expect(fields[ours]?.kind).toBe(target?.fields[theirs]?.kind)
      }
      if (field.gives.part !== undefined) expect(target?.sums).toHaveProperty(field.gives.part)
    }
  })

  test('adds up fields of records that exist, by a reference whose index finds them', () => {
    for (const [sum, { of, by, add, less = [], when = {}, except = {}, counts }] of Object.entries(
      definition.sums ?? {},
    )) {
      const other = definitionOf(registry, of) as Definition
      const [reference] = Object.keys(by)
      expect(equalityIndexes(other), sum).toContain(reference)
      expect([...Object.keys(other.fields)]).toEqual(expect.arrayContaining([...Object.keys(by), ...Object.keys(when)]))
      expect([...Object.keys(fields)]).toEqual(expect.arrayContaining(Object.values(by)))
      expect(Object.keys(other.fields)).toEqual(expect.arrayContaining(Object.keys(except)))
      const units = [...new Set([...add, ...less].map((field) => other.fields[field]?.kind))]
      expect([['money'], ['integer'], ['decimal']], sum).toContainEqual(units)
      if (counts) expect(units, sum).toEqual(['money'])
    }
    for (const sum of sumsOfWrites(definition)) expect(Object.keys(definition.sums ?? {})).toContain(sum)
  })

  test('settles records of the ERP alone, which follow from their sums and settle none', () => {
    for (const [field, reference] of Object.entries(fields)) {
      if (reference.kind !== 'reference' || !reference.settles) continue
      const settled = definitionOf(registry, reference.to) as Definition
      expect([definition.served, settled.served, reference.required], field).toEqual([undefined, undefined, true])
      expect(sumsOfComputed(settled)).not.toEqual([])
      expect(Object.values(settled.fields).some((one) => one.kind === 'reference' && one.settles)).toBe(false)
      // Found late, the record that it settles would be locked out of the order.
      for (const owner of registry)
        for (const { records, by, onDelete } of owner.removal.relations)
          if (records === name && by !== field) expect(Object.values(onDelete), by).not.toContain('cascade')
      const found = new Proxy({}, { get: () => expect.unreachable('a settled record is calculated from no other') })
      const record = recordExample(settled)
      settled.computed?.(record, { before: record, sent: {}, found, sums: {} })
    }
  })

  test('says what becomes of every record that can refer to it', () => {
    const referring = registry.flatMap((other) =>
      Object.entries(other.fields).flatMap(([field, { kind, ...rest }]) =>
        kind === 'reference' && 'to' in rest && rest.to === name ? [`${other.name}.${field}`] : [],
      ),
    )
    expect(removal.relations.map(({ records, by }) => `${records}.${by}`).toSorted()).toEqual(referring.toSorted())
  })

  test('unlinks only references that may be empty', () => {
    for (const {
      records,
      by,
      onDelete: { otherwise },
    } of removal.relations) {
      if (otherwise === 'unlinked') expect(definitionOf(registry, records)?.fields[by]?.required).toBeUndefined()
    }
  })

  test('matches removals by values that the columns can have', () => {
    const matches = removal.relations.flatMap(({ records, onDelete: { restrict, cascade } }) =>
      [restrict, cascade].map((match) => [records, match ?? {}] as const),
    )
    for (const [records, match] of [
      ...matches,
      [name, protection?.when ?? {}] as const,
      [name, removal.hardWhen ?? {}] as const,
    ]) {
      for (const [column, values] of Object.entries(match)) {
        const field = definitionOf(registry, records)?.fields[column]
        for (const value of values) expect(field?.kind === 'choice' ? field.values : [true, false]).toContain(value)
      }
    }
  })

  test('has actions on fields and values that it has, each with its name in German', () => {
    for (const { name: action, from, sets, copy } of definition.actions ?? []) {
      for (const [column, values] of [
        ...Object.entries(from),
        ...Object.entries(sets).map(([one, to]) => [one, [to]]),
      ] as [string, readonly unknown[]][]) {
        const field = fields[column]
        for (const value of values) expect(field?.kind === 'choice' ? field.values : [true, false]).toContain(value)
      }
      if (copy !== undefined) expect(fields[copy]).toMatchObject({ kind: 'reference', to: name })
      expect((german as { [name: string]: Partial<RecordTexts> })[name]?.actions).toHaveProperty(action)
    }
  })

  test('says how a mistake in protected history is put right, without undoing it by deletion', () => {
    if (!protection) return
    const { correct, when } = protection
    const texts = typeof correct === 'string' ? [correct] : Object.values(correct)
    for (const text of texts) expect(text).toMatch(/^[a-z].*[a-z]$/)
    if (typeof correct !== 'string') expect([Object.keys(correct)]).toEqual(Object.values(when))
    expect(removal.instead).toMatch(/books/)
  })

  test('has steps between states that exist', () => {
    for (const field of Object.values(fields)) {
      if (field.kind !== 'choice' || !field.moves) continue
      expect(Object.keys(field.moves).toSorted()).toEqual([...field.values].toSorted())
      for (const next of Object.values(field.moves).flat()) expect(field.values).toContain(next)
    }
  })

  test('keeps what is approved: it is protected, so that no undo, deletion or restoring enters or leaves the value', () => {
    for (const [name, field] of Object.entries(fields)) {
      if (field.kind !== 'choice' || field.approval === undefined) continue
      expect(field.values).toContain(field.approval)
      expect(protection?.when[name]).toContain(field.approval)
    }
  })

  test('describes every field in a sentence', () => {
    for (const [field, { about }] of Object.entries(fields)) expect(about, field).toMatch(/^[A-Z].+\.$/s)
  })

  test('has amounts whose names end in _minor, and times that end in _at or _on where they are days of records', () => {
    for (const [field, { kind }] of Object.entries(fields)) {
      if (kind === 'money') expect(field).toMatch(/_minor$/)
      if (kind === 'reference') expect(field).toMatch(/_id$/)
      if (kind === 'instant') expect(field).toMatch(/_at$/)
    }
  })

  test('shows examples that it would accept', () => {
    for (const [field, of] of Object.entries(fields)) {
      const kind = kindOf(of)
      if (!kind.members) expect(kind.refuses?.(of, kind.example(of)) ?? false, field).toBe(false)
    }
  })
})

test('permissions are three a resource, three for fields, one for approvals and four for the office; scopes are those of the served six', () => {
  expect(permissions).toHaveLength(registry.length * 3 + 8)
  expect(scopes).toHaveLength(18)
  expect(scopes).toContain('EQUIPMENT_DELETE')
  expect(permissions).toContain('TIME_ENTRIES_EDIT')
})

test('countries and currencies are known to the platform by a name, once each and in order', () => {
  for (const [type, codes] of [['region', countries] as const, ['currency', currencies] as const]) {
    const names = new Intl.DisplayNames('en', { type, fallback: 'none' })
    for (const code of codes) expect(names.of(code), code).toBeDefined()
    expect(codes).toEqual([...new Set(codes)].toSorted())
  }
  for (const code of ['XAU', 'XXX', 'XTS', 'CHE', 'DEM']) expect(currencies).not.toContain(code)
})
