import { describe, expect, test } from 'vitest'
import { recordExample } from '#derive/examples.ts'
import { createBlankRecord } from '#derive/input.ts'
import type { Computed, Definition, Rule, RuleInput, WriteInput } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'

/** What rules, doubts and calculations read beside the record, tried on records in each of their states. */

/** Returns an object with any member, and notes the names that are read. */
const noting = (read: Set<string>, memberOf: (name: string) => unknown): never =>
  new Proxy(
    {},
    {
      get(_, name) {
        read.add(String(name))
        return memberOf(String(name))
      },
    },
  ) as never

/** Returns records of each value of each choice, filled in and blank. */
const recordsOf = (definition: Definition) =>
  [recordExample(definition), createBlankRecord(definition)].flatMap((record) => [
    record,
    ...Object.entries(definition.fields).flatMap(([name, field]) =>
      field.kind === 'choice' ? field.values.map((value) => ({ ...record, lines: [], [name]: value })) : [],
    ),
  ])

/** Calls a rule for each record, as new and as changed in every field. Returns the sums that it reads, and if the day. */
function readBy(definition: Definition, judge: Rule | Computed): { sums: string[]; hasToday: boolean } {
  const sums = new Set<string>()
  const input = new Set<string>()
  const found = noting(new Set(), (name) => {
    const field = definition.fields[name]
    const target = field?.kind === 'reference' ? definitionOf(registry, field.to) : undefined
    return target && recordExample(target)
  })
  for (const record of recordsOf(definition))
    for (const before of [null, ...recordsOf(definition)]) {
      const write: { [name: string]: unknown } = {
        ...{ after: record, before, found, sent: record, today: '2026-03-31', sums: noting(sums, () => 1) },
        ...{ isChanged: () => true, isRefused: () => false },
      }
      const given = noting(input, (name) => write[name])
      const isComputed = judge === definition.computed
      if (isComputed) (judge as Computed)(record, given as WriteInput)
      else (judge as Rule)(given as RuleInput)
    }
  return { sums: [...sums].toSorted(), hasToday: input.has('today') }
}

describe.each(registry)('$name', (definition: Definition) => {
  const { rules = [], doubts = [], computed, served } = definition
  const judges = [...rules, ...doubts, ...(computed ? [computed] : [])] as (Rule | Computed)[]

  test('reads the sums that it names, and no other', () => {
    for (const judge of judges) {
      const { sums } = readBy(definition, judge)
      expect(sums, judge.name).toEqual((judge.sums ?? []).toSorted())
    }
  })

  test('reads neither a sum nor the day where it refuses a write of /v1', () => {
    if (!served) return
    for (const rule of [...rules, ...(computed ? [computed] : [])])
      expect(readBy(definition, rule), rule.name).toEqual({ sums: [], hasToday: false })
  })

  test('reads a sum for a rule alone that no other write changes meanwhile', () => {
    for (const rule of rules)
      for (const name of rule.sums ?? []) {
        const { of, by } = definition.sums?.[name] ?? { of: '', by: {} }
        const reference = definitionOf(registry, of)?.fields[Object.keys(by)[0] ?? '']
        // What settles the record locks it; what is of its own sort locks the sum.
        expect(of === definition.name || (reference?.kind === 'reference' && reference.settles), name).toBe(true)
      }
  })
})

test('A rule that reads a sum without naming it is found, and one that reads the day.', () => {
  const [projects] = registry as readonly [Definition]
  const secret: Rule = ({ sums, after }) =>
    (sums.paid ?? 0) > 0 ? { field: String(after.name), code: 'locked', message: '' } : undefined
  expect(readBy(projects, secret)).toEqual({ sums: ['paid'], hasToday: false })
  const dated: Rule = ({ today }) => (today === '' ? { field: today, code: 'locked', message: '' } : undefined)
  expect(readBy(projects, dated)).toEqual({ sums: [], hasToday: true })
})
