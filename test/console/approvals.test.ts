import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permission, permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

/** Each value that approves a record, in every operation of the interface, for an account that may edit and not approve. */

const approvals = registry.flatMap((definition) =>
  Object.entries(definition.fields).flatMap(([field, kind]) =>
    kind.kind === 'choice' && kind.approval !== undefined
      ? [{ records: definition.name, field, value: kind.approval, other: kind.initial as string, definition }]
      : [],
  ),
)
type Row = (typeof approvals)[number]

let stage: ConsoleStage
let admin: Awaited<ReturnType<ConsoleStage['admin']>>
let foreman: Person
let ids: { [records: string]: number }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  const approving = approvals.map(({ records }) => permission(records, 'APPROVE'))
  foreman = await stage.person(
    admin.company,
    permissions.filter((one) => !approving.includes(one)),
  )
  ids = await oneOfEach(admin.company)
})
afterAll(() => stage.close())

const pathOf = ({ records }: Row): string => `/console/records/${records}`

/** What a new record needs, taken from one that is there. */
async function bodyOf(row: Row, value: string): Promise<JsonObject> {
  const found = await admin.data(`${pathOf(row)}/${ids[row.records]}`)
  const sent = Object.entries(row.definition.fields).filter(([, field]) => field.required === true)
  return { ...Object.fromEntries(sent.map(([name]) => [name, found[name]])), [row.field]: value }
}

async function create(row: Row, value: string): Promise<number> {
  const { status, body, text } = await admin.ask('POST', pathOf(row), await bodyOf(row, value))
  expect(status, text).toBe(201)
  return body.data.id
}

const countOf = async ({ records }: Row): Promise<number> =>
  ((await stage.sql(`select count(*)::int as count from ${records}`)) as { count: number }[])[0]?.count ?? 0

const refusal = (row: Row) => ({
  status: 403,
  body: { code: 'insufficient_scope', required_scope: permission(row.records, 'APPROVE') },
})

test('there is something to approve', () => {
  expect(approvals.map(({ records, field, value }) => [records, field, value])).toEqual([
    ['time_entries', 'status', 'APPROVED'],
  ])
})

describe.each(approvals)('Whoever may edit $records and not approve them', (row) => {
  test('does not create one that is approved, and creates one that is not', async () => {
    const before = await countOf(row)
    const approved = await bodyOf(row, row.value)
    const batch = { operations: [{ op: 'create', body: approved }] }
    for (const dry of ['', '?dry_run=1'])
      expect(await foreman.ask('POST', `${pathOf(row)}${dry}`, approved)).toMatchObject(refusal(row))
    const tried = await foreman.ask('POST', `/console/records/${row.records}/batch?dry_run=1`, batch)
    expect(tried.text).toContain(permission(row.records, 'APPROVE'))
    expect(await countOf(row)).toBe(before)
    expect((await foreman.ask('POST', pathOf(row), await bodyOf(row, row.other))).status).toBe(201)
    expect((await admin.ask('POST', pathOf(row), approved)).status).toBe(201)
  })

  test('neither approves one nor takes an approval back, and is told which right that needs', async () => {
    for (const [from, to] of [
      [row.other, row.value],
      [row.value, row.other],
    ] as const) {
      const path = `${pathOf(row)}/${await create(row, from)}`
      const before = await admin.data(path)
      for (const dry of ['', '?dry_run=1']) {
        const answer = await foreman.ask('PATCH', `${path}${dry}`, { [row.field]: to })
        expect(answer).toMatchObject(refusal(row))
        expect(answer.body.detail).toContain(`set ${row.field} to ${row.value}`)
      }
      expect(await admin.data(path)).toEqual(before)
      expect((await admin.ask('PATCH', path, { [row.field]: to })).status).toBe(200)
    }
  })

  test('is refused whatever else is wrong with the record, and sends the value that is there already as before', async () => {
    const path = `${pathOf(row)}/${await create(row, row.other)}`
    expect(await foreman.ask('PATCH', path, { [row.field]: row.value, nothing: 1 })).toMatchObject(refusal(row))
    expect((await foreman.ask('PATCH', path, { [row.field]: row.other })).status).toBe(200)
  })

  test('undoes no approval and no return of one: what is approved is protected', async () => {
    const path = `${pathOf(row)}/${await create(row, row.other)}`
    for (const value of [row.value, row.other]) {
      const { headers } = await admin.ask('PATCH', path, { [row.field]: value })
      const undone = await foreman.ask('POST', `/console/writes/${headers['x-write-id']}/undo`)
      expect(undone.body).toMatchObject({ code: 'protected' })
    }
  })

  test('loses the right from the next request on', async () => {
    const clerk = await stage.person(admin.company, permissions)
    const path = `${pathOf(row)}/${await create(row, row.other)}`
    expect((await clerk.ask('PATCH', path, { [row.field]: row.value })).status).toBe(200)
    await stage.sql(
      'update accounts set permissions = array_remove(permissions, $1) where id = $2',
      permission(row.records, 'APPROVE'),
      clerk.id,
    )
    expect(await clerk.ask('PATCH', path, { [row.field]: row.other })).toMatchObject(refusal(row))
  })
})
