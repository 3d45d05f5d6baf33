import { describe, expect, test } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import { ask, author, page, projects } from '../bench/plans/statements/examples.ts'
import { everyStatement } from '../bench/plans/statements/index.ts'
import type { BatchableRead } from './batchable.ts'
import { insertRecords } from './records/insert.ts'
import { lookUp, prefetchForCreate, prefetchForUpdate } from './records/prefetch.ts'
import { list, listWithCaller } from './records/read.ts'
import { softDelete } from './records/remove.ts'
import { tagsOf, tagWithin } from './records/tags.ts'
import { updateHeld } from './records/update.ts'
import {
  expressionsOf,
  type Prefetch,
  prefetchStatement,
  prepareStatement,
  type Statement,
  sql,
  statement,
} from './statement.ts'
import { beginWrite } from './system/begin-write.ts'
import { listCalls } from './system/call-list.ts'
import { tokenSource } from './system/caller.ts'
import { candidatesFor } from './system/sign-in.ts'
import { storeResponses } from './system/stored-responses.ts'

/** Formats a statement with a line for each clause, so that a change reads as a diff. */
const formatStatement = ({ name, text, values }: Statement | BatchableRead): string =>
  `-- ${name ?? '(unnamed)'}\n${text.replace(/\n\s*\n/g, '\n').trim()}\n-- ${JSON.stringify(values)}\n`

describe('The SQL that is derived', () => {
  test.each(everyStatement)('%s', async (name, statements) => {
    await expect(statements.map(formatStatement).join('\n')).toMatchFileSnapshot(`../test/goldens/sql/${name}.sql`)
  })

  test('never carries a value in its text [V1.2.4]', () => {
    const odd = `'; drop table projects; --`
    const statements = [
      listWithCaller(ask, projects, { ...page, filters: { status: odd }, words: [odd], updatedSince: odd }),
      list({ companyId: 7, lacksRights: [] }, projects, {
        ...page,
        among: [{ field: 'status', values: [odd] }],
        ranges: [{ field: 'end_date', to: odd }],
      }),
      listCalls(7, { code: odd, route: odd }, page),
      candidatesFor(odd, { accountId: null, companyId: null }),
      ...insertRecords({
        ...{ author, definition: projects, currency: odd },
        records: [{ id: 1, by: author, values: { name: odd, notes: odd } }],
      }),
      ...updateHeld({
        ...{ author, definition: projects, names: ['name'], isShown: true },
        updates: [{ id: 1, version: 1, by: author, values: { name: odd }, changes: { name: [odd, odd] } }],
      }),
      lookUp(7, projects, { code: odd }),
      beginWrite(
        tokenSource(ask),
        [{ key: odd, lock: '42' }],
        prefetchForCreate(7, projects, [{ sent: { code: odd } }]),
      ),
    ]
    for (const { text } of statements) expect(text).not.toContain('drop table')
  })

  test('has few names, so that a caller cannot fill a connection with prepared statements', () => {
    const many = Array.from({ length: 100 }, (_, index) => index)
    const names = many.flatMap((index) => [
      listWithCaller(ask, projects, { ...page, words: many.slice(0, index).map(String) }).name,
      listWithCaller(ask, projects, { ...page, fields: ['name', 'code'].slice(index % 2) }).name,
    ])
    expect(new Set(names).size).toBeLessThan(10)
  })

  test('looks up what a write sends alone: none, one or two fields, or all, each under a name of its own', () => {
    const fields = ['client_id', 'category_id', 'manager_id', 'code', 'external_ref']
    const subsets = Array.from({ length: 2 ** fields.length }, (_, bits) =>
      Object.fromEntries(
        fields.filter((_, index) => bits & (2 ** index)).map((name) => [name, name.endsWith('_id') ? 3 : 'A']),
      ),
    )
    const made = subsets.map((sent) => prefetchForCreate(7, projects, [{ sent }]))
    const textOf = ({ values, query }: Prefetch): string => query(expressionsOf(values)).text
    const texts = new Map(made.map((prefetch) => [prefetch.name, textOf(prefetch)]))
    expect(texts.size).toBe(1 + 5 + 10 + 1)
    for (const prefetch of made) expect(textOf(prefetch)).toBe(texts.get(prefetch.name))
    expect(texts.get('projects.create:0')).not.toContain('clients')
  })

  test('has its text once for its name, and the values of each call', () => {
    const [one, other] = [7001, 8002].map((companyId) => {
      const prefetch = prefetchForCreate(companyId, projects, [{ sent: { code: `C-${companyId}` } }])
      return beginWrite(tokenSource({ ...ask, companyId }), [], prefetch)
    }) as [Statement, Statement]
    const valuesWith = (company: number, { values }: Statement) =>
      values.filter((value) => `${value}`.includes(`${company}`))
    expect(other.text).toBe(one.text)
    expect(valuesWith(7001, other)).toEqual([])
    expect(valuesWith(8002, other)).toHaveLength(valuesWith(7001, one).length)
  })

  const coloured = {
    ...projects,
    fields: { ...projects.fields, colour: { kind: 'text', about: 'A colour.', max: 20, example: 'red' } },
  } as Definition
  test.each([
    ['with fewer fields first', [{ ...projects }, { ...coloured }]],
    ['with more fields first', [{ ...coloured }, { ...projects }]],
  ])('has a text for each definition of one name: the one %s', (_, definitions) => {
    for (const definition of definitions) {
      const prefetch = prefetchForUpdate(7, definition, [{ id: 1, sent: {} }])
      const texts = [
        prefetchStatement(prefetch),
        beginWrite(tokenSource(ask), [], prefetch),
        insertRecords({ author, definition, records: [], currency: 'EUR' })[0],
        updateHeld({ author, definition, updates: [], names: [], isShown: true })[0],
        softDelete(author, definition, [1], 3)[0],
        tagsOf(7, definition, [1]),
        storeResponses(7, [], tagWithin(definition)),
      ].map((made) => made?.text.includes('colour'))
      expect(texts).toEqual(texts.map(() => 'colour' in definition.fields))
    }
  })

  test('has no text that is made once with a value of its first call', () => {
    const leak = (id: number) =>
      prepareStatement(null, 'leak', { companyId: id }, (given) => sql`select ${given.companyId}, ${id}`)
    for (const id of [1, 2]) expect(() => leak(id)).toThrow(`has the value ${id}`)
  })

  test('draws no id of a record where companies are distributed, but by a statement of the coordinator', async () => {
    const begin = beginWrite(tokenSource(ask), [], prefetchForCreate(7, projects, [{ sent: {} }]))
    const there: string[] = []
    await begin.distributed?.(async ({ text }) => {
      there.push(text)
      return []
    })
    expect(begin.text).toContain('nextval')
    expect(there).toEqual([expect.not.stringContaining('nextval')])
  })

  test('gives no name that PostgreSQL would cut off', () => {
    expect(statement(sql`select 1`, 'n'.repeat(63)).name).toHaveLength(63)
    expect(statement(sql`select 1`, 'n'.repeat(64)).name).toBeUndefined()
  })
})
