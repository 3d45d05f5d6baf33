import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldPermissions } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { OpenApp } from '#server/app.ts'
import { type DemoStory, seedDemo } from '#server/demo/seed.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, type Stage } from './stage.ts'

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
let opened: OpenApp
let story: DemoStory

beforeAll(async () => {
  stage = await createStage()
  database = await freshDatabase()
  opened = await stage.open({ DATABASE_URL: urlOf(database.connection) })
  story = await seedDemo(opened.app)
})
afterAll(async () => {
  await opened.close()
  await database.drop()
  await stage.clear()
})

async function ask<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
  return opened.app.database.read<Row>({ text, values })
}

async function count(kind: string, company: number, where = 'true'): Promise<number> {
  const [row] = await ask<{ count: number }>(
    `select count(*)::int from ${kind} where company_id = $1 and ${where}`,
    company,
  )
  return row?.count as number
}

const [harbor, hilltop] = [0, 1].map((index) => () => story.companies[index]!.id) as [() => number, () => number]

describe('The demo story', () => {
  test('is told the same when it is asked for again.', async () => {
    expect(story).toMatchObject({
      isNew: true,
      companies: [
        { name: 'Harbor Masonry', accounts: [{ name: 'Ada Marsh', email: 'ada@harbor-masonry.example' }, {}, {}] },
        { name: 'Hilltop Roofing', accounts: [{ name: 'Hal Whitcombe' }] },
      ],
    })
    expect(await seedDemo(opened.app)).toEqual({ ...story, isNew: false })
    for (const { token } of story.companies) expect(token).toMatch(/^plumb_live_[0-9a-f]{72}$/)
  })

  test('Harbor Masonry has a few hundred records, of every kind and in every state.', async () => {
    const counts = await Promise.all(registry.map(async ({ name }) => [name, await count(name, harbor())] as const))
    const known = Object.fromEntries(counts)
    expect(known).toMatchObject({
      projects: 40,
      workers: 45,
      clients: 30,
      estimates: 60,
      subcontractors: 20,
      equipment: 40,
    })
    for (const [name, records] of counts) expect(records, name).toBeGreaterThanOrEqual(15)
    expect(counts.reduce((sum, [, records]) => sum + records, 0)).toBeGreaterThan(500)

    for (const { name, fields } of registry) {
      if (fields.status?.kind !== 'choice') continue
      const rows = await ask<{ status: string }>(`select distinct status from ${name} where company_id = $1`, harbor())
      expect(rows.map(({ status }) => status).sort(), name).toEqual([...fields.status.values].sort())
    }
  })

  test('Nothing in it lies in a future it cannot know, and what lapses does so soon.', async () => {
    expect(await count('time_entries', harbor(), 'worked_on > current_date')).toBe(0)
    expect(await count('invoices', harbor(), "status <> 'DRAFT' and issued_on > current_date")).toBe(0)
    expect(await count('estimates', harbor(), 'issue_date > current_date')).toBe(0)
    expect(await count('equipment_logs', harbor(), 'logged_on > current_date')).toBe(0)
    expect(
      await count('subcontractors', harbor(), 'insurance_expires_on between current_date and current_date + 31'),
    ).toBe(5)
  })

  test('Femi the foreman had the right to change projects, and has lost it.', async () => {
    const [femi] = await ask<{ permissions: string[] }>(
      "select permissions from accounts where company_id = $1 and name = 'Femi Adeyemi'",
      harbor(),
    )
    expect(femi?.permissions).toContain('PROJECTS_VIEW')
    expect(femi?.permissions).not.toContain('PROJECTS_EDIT')
    // He enters hours, and others approve them.
    expect(femi?.permissions).toContain('TIME_ENTRIES_EDIT')
    expect(femi?.permissions).not.toContain('TIME_ENTRIES_APPROVE')
  })

  test('The foreman alone sees no pay, no amounts of projects and no tax numbers.', async () => {
    const rows = await ask<{ name: string; sees: boolean }>(
      'select name, permissions @> $1::text[] as sees from accounts where not permissions && $1::text[] or permissions @> $1::text[]',
      fieldPermissions,
    )
    expect(rows.length).toBeGreaterThan(2)
    expect(rows.filter(({ sees }) => !sees)).toEqual([{ name: 'Femi Adeyemi', sees: false }])
  })

  test('Hilltop Roofing has the API alone, and two places left for projects.', async () => {
    const [company] = await ask('select plan, add_ons, is_demo from companies where id = $1', hilltop())
    expect(company).toEqual({ plan: 'STARTER', add_ons: ['api'], is_demo: true })
    const projects = definitionOf(registry, 'projects')!
    const create = (name: string) =>
      opened.app.database.transaction((transaction) =>
        createRecord(transaction, operator(hilltop()), projects, { name }),
      )
    await create('One')
    await create('Two')
    await expect(create('Three')).rejects.toMatchObject({ code: 'plan_limit_reached' })
  })

  test('A revoked token is not issued anew, and the story is told without it.', async () => {
    await ask('update tokens set revoked_at = now() where company_id = $1', hilltop())
    const { companies } = await seedDemo(opened.app)
    expect(companies.map(({ token }) => token !== null)).toEqual([true, false])
  })
})

test('Many servers that start at once make it once.', async () => {
  const { connection, drop } = await freshDatabase()
  const apps = await Promise.all([1, 2, 3, 4].map(() => stage.open({ DATABASE_URL: urlOf(connection) })))
  try {
    const stories = await Promise.all(apps.map(({ app }) => seedDemo(app)))
    expect(stories.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(stories.map(({ companies }) => JSON.stringify(companies))).size).toBe(1)
    const [row] = await apps[0]!.app.database.read<{ count: number }>({
      text: 'select count(*)::int from companies',
      values: [],
    })
    expect(row).toEqual({ count: 2 })
  } finally {
    await Promise.all(apps.map(({ close }) => close()))
    await drop()
  }
})

test('It is made whole or not at all.', async () => {
  const { connection, drop } = await freshDatabase()
  const { app, close } = await stage.open({ DATABASE_URL: urlOf(connection) })
  const companies = () => app.database.read({ text: 'select from companies', values: [] })
  try {
    // The last record of the last company cannot be written.
    const forbid = "alter table projects add constraint no_last check (name <> 'Juniper Court, house D')"
    await app.database.read({ text: forbid, values: [] })
    await expect(seedDemo(app)).rejects.toThrow('no_last')
    expect(await companies()).toHaveLength(0)
    await app.database.read({ text: 'alter table projects drop constraint no_last', values: [] })
    expect(await seedDemo(app)).toMatchObject({ isNew: true })
  } finally {
    await close()
    await drop()
  }
})
