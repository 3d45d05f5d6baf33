import { chmod, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { dropDatabase, freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

const isRoot = process.geteuid?.() === 0

let stage: Stage
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

type Diagnosis = { ok: boolean; checks: { name: string; ok: boolean; warning?: true; says: string }[] }

async function diagnose(more: { [name: string]: string } = {}): Promise<Diagnosis & { code: number }> {
  const { code, out } = await stage.give(['doctor', '--json'], more)
  return { code, ...(JSON.parse(out) as Diagnosis) }
}

const ills = ({ checks }: Diagnosis): string[] =>
  checks.filter(({ ok }) => !ok).map(({ name, says }) => `${name}: ${says}`)

describe('doctor', () => {
  test('finds nothing wrong with a new bundled database, and exits with 0.', async () => {
    await stage.give(['demo'])
    const found = await diagnose()
    expect(ills(found)).toEqual([])
    expect(found).toMatchObject({ code: 0, ok: true })
    expect(found.checks.map(({ name }) => name)).toEqual([
      ...['settings', 'node', 'processes', 'metrics', 'network', 'data folder', 'disk', 'key'],
      ...[
        'database',
        'durability',
        'pages',
        'clock',
        'connections',
        'rights',
        'extensions',
        'migrations',
        'seal',
        'demo',
        'accounts',
      ],
      ...['equal', 'changes', 'webhooks', 'backup'],
      ...(isRoot ? ['user'] : []),
    ])
    const { out } = await stage.give(['doctor'])
    expect(out).toMatch(/^OK {7}database {5}PostgreSQL 18.*the bundled PostgreSQL in .*data/m)
    if (isRoot) expect(out).toMatch(/^WARNING {2}user {9}PostgreSQL runs as "nobody"/m)
    expect(out).toMatch(/^WARNING {2}backup {7}the service makes none: set PLUMBLINE_BACKUP_TO/m)
    expect(out).toMatch(isRoot ? /\n\nAll is well, with 2 warnings\.\n$/ : /\n\nAll is well, with 1 warning\.\n$/)
  })

  test.each([
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: 'erp.example.com' }, false],
    [{ METRICS_ADDRESS: '0.0.0.0:9464' }, false],
    [{ METRICS_ADDRESS: '[2001:db8::1]:9464' }, false],
    [{ HOST: '0.0.0.0', METRICS_ADDRESS: '127.0.0.1:9464' }, true],
    [{ HOST: '0.0.0.0', METRICS_ADDRESS: '10.0.0.7:9464' }, true],
    [{ HOST: 'localhost' }, true],
  ])('says where metrics are open to others: %j', async (more, ok) => {
    const found = (await diagnose(more)).checks.find(({ name }) => name === 'metrics')
    expect(found?.ok).toBe(ok)
    if (!ok) expect(found?.says).toMatch(/set METRICS_ADDRESS to .*\.$/)
  })

  test('finds every wrong setting.', async () => {
    const found = await diagnose({ PORT: 'x', HOST: ' y z ' })
    expect(found.code).toBe(1)
    expect(ills(found)).toEqual([
      'settings: PORT must be a whole number from 0 to 65535.',
      'settings: HOST must be an address or a host name.',
    ])
  })

  test('finds a key that others can read, and one that does not open the tokens. [V13.3.2]', async () => {
    await stage.give(['demo'])
    const file = join(stage.data, 'secret')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await chmod(file, 0o644)
    expect(ills(await diagnose())).toEqual([
      `key: ${file} has mode 0644, so others can read the key that seals tokens: run "chmod 600 ${file}".`,
    ])
    await chmod(file, 0o600)
    expect(ills(await diagnose({ PLUMBLINE_SECRET: 'another key of more than 32 characters' }))).toEqual([
      'seal: the key does not open the tokens: set the PLUMBLINE_SECRET they were issued with, or rotate them.',
    ])
  })

  test('finds demo accounts that others can reach, and passwords that everybody knows.', async () => {
    const { says } = (await diagnose()).checks.find(({ name }) => name === 'demo')!
    expect(says).toMatch(/^4 accounts of the demo can sign in with/)
    const warnings = async (more: { [name: string]: string }) =>
      (await diagnose(more)).checks
        .filter(({ name, warning }) => warning && name !== 'user' && name !== 'backup')
        .map(({ name }) => name)
    expect(await warnings({ HOST: '0.0.0.0' })).toEqual(['network', 'demo'])
    expect(await warnings({ PUBLIC_URL: 'https://erp.example.com' })).toEqual(['demo'])
    const open = { HOST: '0.0.0.0', METRICS_ADDRESS: '127.0.0.1:9464' }
    expect((await stage.give(['doctor'], open)).out).toMatch(/with [34] warnings\.\n$/)

    await opened.app.database.read({
      text: "update accounts set password_hash = $1 where email like 'ada@%'",
      values: [await hash('harbor-demo-1')],
    })
    expect(ills(await diagnose())).toEqual([
      expect.stringMatching(/^demo: the password of ada@harbor-masonry.example is published/),
    ])
    await stage.give(['demo'])
    expect(ills(await diagnose())).toEqual([])
  })

  test('says which webhooks do not hear of changes, and where to look.', async () => {
    const given = async (text: string): Promise<string> => {
      await opened.app.database.read({ text, values: [] })
      const { ok, warning, says } = (await diagnose()).checks.find(({ name }) => name === 'webhooks')!
      expect(ok).toBe(true)
      return warning ? `warning: ${says}` : says
    }
    const where = '"plumbline webhooks list --company <id>" says which, and why.'
    expect(
      await given(`insert into webhook_endpoints (company_id, name, url, events, payload, ordered, sealed, cursor_epoch,
          cursor_pos, cursor_id, log_epoch)
        select min(id), 'A', 'https://example.com/', '{clients.created}', 'thin', true, '', 1, '1', 1, 1 from companies`),
    ).toBe(`warning: 1 for which no account answers: ${where}`)
    expect(
      await given(
        'update webhook_endpoints w set account_id = (select min(id) from accounts a where a.company_id = w.company_id)',
      ),
    ).toBe('1 that do well')
    const claimed = (seconds: number) =>
      given(`update webhook_endpoints set claim = gen_random_uuid(), claimed_until = now() + interval '${seconds} s'`)
    expect(await claimed(44)).toBe('1 that do well, 1 with a turn')
    const hangs =
      /^warning: 1 whose turn hangs, one for 3[56] s \(it is ended after 45 s, and the log names it\): "plumbline /
    expect(await claimed(10)).toMatch(hangs)
    // The claim of a process that was killed hangs no more once it has ended.
    expect(await claimed(-10)).toBe('1 that do well')
    expect(await given("update webhook_endpoints set failing_since = now() - interval '9 minutes 30 seconds'")).toBe(
      `warning: 1 that fail, one for 10 min: ${where}`,
    )
    expect(await given("update webhook_endpoints set disabled_at = now(), disabled_because = 'failing'")).toBe(
      `warning: 1 that the service has given up: ${where}`,
    )
    expect(
      await given(`update webhook_endpoints set disabled_at = null, disabled_because = null, failing_since = null,
        resync_since = now()`),
    ).toBe(`warning: 1 that need a new start: ${where}`)
    expect(
      await given(
        "update webhook_endpoints set disabled_at = now(), disabled_because = 'by_hand', resync_since = null",
      ),
    ).toBe('there are none that send')
  })

  test('says how many connections the database gives where it gives fewer than the settings ask for.', async () => {
    const says = async (more: { [name: string]: string }) =>
      (await diagnose(more)).checks.filter(({ name }) => name === 'connections')
    const limit = 'The database gives 197 connections (max_connections of the server, without reserved ones)'
    expect(await says({ DATABASE_CONNECTIONS: '400' })).toEqual([
      {
        name: 'connections',
        ok: true,
        warning: true,
        says: `${limit}, and 5 of them are for shared reads, migrations and commands: 192 of the 400 of DATABASE_CONNECTIONS are used; lower DATABASE_CONNECTIONS, or raise that limit.`,
      },
    ])
    expect(await says({ DATABASE_CONNECTIONS: '180', PROCESSES: '32' })).toMatchObject([
      { warning: true, says: expect.stringContaining('99 of the 180') },
    ])
  })

  test.skipIf(availableParallelism() >= 32)('finds more processes than there are processors.', async () => {
    expect(ills(await diagnose({ PROCESSES: '32' }))).toContain(
      `processes: 32 on ${availableParallelism()} processors: more than there are processors only take turns; set PROCESSES to auto.`,
    )
  })

  test('finds a database that is not there.', async () => {
    const found = await diagnose({ DATABASE_URL: 'postgres://erp@127.0.0.1:1/erp' })
    expect(found).toMatchObject({ code: 1, ok: false })
    expect(ills(found)).toEqual([
      'database: The database cannot be reached (connect ECONNREFUSED 127.0.0.1:1): see that it runs and that DATABASE_URL is right.',
    ])
  })

  test('finds what would lose answers in a crash, and migrations that are not applied.', async () => {
    const { connection, drop } = await freshDatabase()
    const more = { DATABASE_URL: urlOf(connection) }
    const { app, close } = await stage.open(more)
    try {
      await app.database.read({
        text: `alter database ${connection.database} set synchronous_commit = off`,
        values: [],
      })
      await app.database.read({ text: "delete from migrations where name = '0002-records'", values: [] })
      expect(ills(await diagnose(more))).toEqual([
        // The server of the tests is itself quicker than safe.
        expect.stringMatching(
          /^durability: what was answered may be lost in a crash: set (fsync = on, )?synchronous_commit = on in /,
        ),
        'migrations: 0002-records not applied yet: run "plumbline migrate".',
      ])
    } finally {
      await close()
      await drop()
    }
  })
})

test('On DATABASE_URL the commands do the same; migrate says what it applied, and demo companies come when asked for.', async () => {
  const { connection, drop } = await freshDatabase()
  const name = `${connection.database}_empty`
  const server = await stage.open({ DATABASE_URL: urlOf(inject('server')) })
  const more = { DATABASE_URL: urlOf({ ...connection, database: name }) }
  try {
    await server.app.database.read({ text: `create database ${name}`, values: [] })
    expect(jsonOf(await stage.give(['migrate', '--json'], more))).toEqual({
      applied: expect.arrayContaining(['0001-foundation', '0002-records', '0008-demo-accounts']),
    })
    expect(await stage.give(['migrate'], more)).toEqual({ code: 0, out: 'The database is up to date.\n', err: '' })
    expect(jsonOf(await stage.give(['company', 'create', '--name', 'A', '--json'], more))).toEqual({ company_id: 1 })
    expect(jsonOf(await stage.give(['demo', '--json'], more))).toMatchObject({ added: true })
    expect(jsonOf(await stage.give(['demo', '--json'], more))).toMatchObject({ added: false })
  } finally {
    await dropDatabase(inject('server'), name)
    await server.close()
    await drop()
  }
})
