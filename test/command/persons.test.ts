import { execFileSync } from 'node:child_process'
import { appendFile, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import type { OpenApp } from '#server/app.ts'
import { stopServer } from '#server/embedded/processes.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

/** person export, person erase, and what restore and doctor say of it. */
let stage: Stage
let company: number
/** Keeps PostgreSQL running from one command to the next. */
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
  company = Number(jsonOf(await stage.give(['company', 'create', '--name', 'Quay', '--json'])).company_id)
})
afterAll(async () => {
  await opened?.close()
  await stage.clear()
})

const make = async (kind: string, body: object): Promise<number> => {
  const words = ['record', 'create', kind, '--company', String(company), '--json-body', JSON.stringify(body), '--json']
  return Number(jsonOf(await stage.give(words)).id)
}
const person = (...words: string[]) => ['person', ...words]
const erasing = (kind: string, id: number, ...more: string[]) =>
  person('erase', kind, String(id), '--company', String(company), '--reason', 'asked by letter', ...more)
const file = () => join(stage.data, 'erased-persons.jsonl')
const linesOf = async () => (await readFile(file(), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

describe('On a terminal', () => {
  test('what refers to the person is named, and anything but y erases nobody', async () => {
    const id = await make('workers', { name: 'Wanda Terminal' })
    const project = await make('projects', { name: 'Wall' })
    await make('time_entries', { worker_id: id, project_id: project, worked_on: '2026-01-05', hours: 7.5 })
    const no = await stage.answer(erasing('workers', id), 'n\n')
    expect(no.code).toBe(1)
    expect(no.err).toContain(`the worker ${id} of Quay (company ${company}) for good. These refer to it and stay`)
    expect(no.err).toContain('time entries (worker_id): 1.')
    expect(no.err).toContain('What the law makes a company keep')
    expect(no.err).toContain('Nothing was changed.')
    expect(await linesOf()).toEqual([])
    const yes = await stage.answer(erasing('workers', id), 'y\n')
    expect(yes).toMatchObject({ code: 0, out: expect.stringContaining(`Erased the worker ${id} of Quay`) })
    expect((await linesOf()).map((line) => JSON.parse(line))).toEqual([
      { company, kind: 'workers', id, at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
    expect((await readFile(file(), 'utf8')).includes('Wanda')).toBe(false)
    expect((await stat(file())).mode & 0o777).toBe(0o600)
  })
})

describe('Without a terminal nothing is asked', () => {
  test('and a second run does nothing and ends with 0', async () => {
    const id = await make('clients', { name: 'Ivy Script', kind: 'INDIVIDUAL', notes: 'Likes Script.' })
    await make('projects', { name: 'House', notes: 'Keys are with ivy script.' })
    const first = jsonOf(await stage.give([...erasing('clients', id), '--json']))
    expect(first).toMatchObject({ erased: true, mentioned_in: [{ records: 'projects' }] })
    const lines = await linesOf()
    const second = await stage.give(erasing('clients', id))
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to do') })
    expect(await linesOf()).toEqual(lines)
  })

  test('papers of the books stay, are listed and exported, and go with --papers, also after a restore', async () => {
    const id = await make('clients', { name: 'Pia Paper', kind: 'INDIVIDUAL' })
    const lines = [{ description: 'Wall', quantity: 1, unit_price_minor: 500 }]
    const dates = { issued_on: '2026-03-01', due_on: '2026-03-31' }
    const invoice = await make('invoices', { client_id: id, lines, ...dates, status: 'ISSUED' })
    const draft = { title: 'Wall', client_id: id, lines }
    const estimate = await make('estimates', { ...draft, status: 'SENT' })
    const kept_papers = [{ records: 'invoices', ids: [invoice] }]
    const first = await stage.give([...erasing('clients', id), '--json'])
    expect(jsonOf(first)).toMatchObject({ erased: true, kept_papers })
    const again = await stage.give(erasing('clients', id))
    expect(again.out).toContain(`Papers of the books still show it: those of invoices ${invoice}. --papers empties`)

    const exported = jsonOf(await stage.give(person('export', 'clients', String(id), '--company', String(company))))
    const names = (exported.papers as JsonObject[]).map((one) => [
      ...[one.records, one.record_id, ((one.content as JsonObject).addressee as JsonObject).name],
    ])
    const gone = `Erased client ${id}`
    expect(names).toEqual([
      ['estimates', estimate, gone],
      ['invoices', invoice, 'Pia Paper'],
    ])

    const whole = await stage.give([...erasing('clients', id, '--papers'), '--json'])
    expect(jsonOf(whole)).toMatchObject({ erased: true, kept_papers: [] })
    const own = (await linesOf()).map((line) => JSON.parse(line)).filter((line) => line.id === id)
    expect(own).toMatchObject([{ kind: 'clients' }, { kind: 'clients', papers: true }])
    await opened.app.database.read({
      text: `update papers set content = jsonb_set(content, '{addressee,name}', '"Pia Paper"') where record_id = $1 returning id`,
      values: [invoice],
    })
    const repeated = await stage.give([...person('erase', '--from', file()), '--yes', '--json'])
    expect(jsonOf(repeated)).toMatchObject({ erased: 1 })
  })

  test.each([
    ['an unknown kind', 2, ['projects', '1'], 'is no kind of person'],
    ['nobody', 1, ['workers', '999999'], 'The company has no worker 999999.'],
    ['no reason', 2, ['workers', '1', '--reason', ' '], 'Give --reason'],
    [
      'another company',
      1,
      ['workers', '1', '--company', '999'],
      'There is no company 999. "plumbline company list" shows them.',
    ],
    ['--from and a kind', 2, ['workers', '1', '--from', 'x'], 'Give --from alone'],
  ])('%s is one sentence and %i', async (_, exitCode, words, sentence) => {
    const said = await stage.give(person('erase', '--company', String(company), '--reason', 'r', ...words))
    expect(said.code).toBe(exitCode)
    expect(said.err).toContain(sentence)
    expect(said.err.trim().split('\n')).toHaveLength(1)
  })

  test('a client that is a company, and an active account, are refused with what to do', async () => {
    const firm = await make('clients', { name: 'Firm', kind: 'COMPANY' })
    expect((await stage.give(erasing('clients', firm))).err).toContain('its kind is COMPANY and not INDIVIDUAL')
    const words = ['account', 'create', '--company', String(company), '--name', 'Ada', '--email', 'a@b.cd', '--json']
    const account = Number(jsonOf(await stage.give(words)).account_id)
    const active = await stage.give(erasing('accounts', account))
    expect(active).toMatchObject({ code: 1, err: expect.stringContaining('is active: disable it first') })
    await stage.give(['account', 'set', String(account), '--disable'])
    expect((await stage.give(erasing('accounts', account))).code).toBe(0)
  })
})

test('an export is one JSON object with the history and what refers to the person, of a new file that others cannot read', async () => {
  const id = await make('workers', { name: 'Ed Export' })
  const helper = await make('workers', { name: 'Helper', supervisor_id: id })
  const words = person('export', 'workers', String(id), '--company', String(company))
  const told = jsonOf(await stage.give(words))
  expect(told).toMatchObject({
    ...{ company_id: company, kind: 'workers', id, deleted_at: null, removals: [] },
    record: { id, name: 'Ed Export' },
    history: [{ action: 'created' }],
    referred_to_by: [{ records: 'workers', field: 'supervisor_id', ids: [helper] }],
  })
  const to = join(stage.folder, 'ed.json')
  expect((await stage.give([...words, '--to', to])).code).toBe(0)
  expect(JSON.parse(await readFile(to, 'utf8')).record).toEqual(told.record)
  expect((await stat(to)).mode & 0o777).toBe(0o600)
  const again = await stage.give([...words, '--to', to])
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is there already') })
})

describe('The file of erased persons', () => {
  test('says so before the commit: killed between, the person is there, and --from erases them', async () => {
    const id = await make('workers', { name: 'Kim Killed' })
    const before = await linesOf()
    // The file beside the backups is a pipe that nobody writes to: the process waits there, before the commit.
    const pipe = join(stage.folder, 'backups')
    await mkdir(pipe, { recursive: true })
    execFileSync('mkfifo', [join(pipe, 'erased-persons.jsonl')])
    const { child, ended } = stage.start(erasing('workers', id), { PLUMBLINE_BACKUP_TO: pipe })
    while ((await linesOf()).length === before.length && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGKILL')
    await ended
    await rm(pipe, { recursive: true })
    expect(await linesOf()).toHaveLength(before.length + 1)
    const there = jsonOf(await stage.give(person('export', 'workers', String(id), '--company', String(company))))
    expect(there.record).toMatchObject({ name: 'Kim Killed' })

    const doctor = await stage.give(['doctor'])
    expect(doctor.out).toMatch(/WARNING {2}erased .*of whom 1 are not erased: give "plumbline person erase --from/)
    const again = await stage.give([...person('erase', '--from', file()), '--json'])
    expect(jsonOf(again)).toMatchObject({ erased: 1, left: [] })
    const well = await stage.give(['doctor'])
    expect(well.out).toMatch(/OK {7}erased .*all of them erased/)
    const gone = jsonOf(await stage.give(person('export', 'workers', String(id), '--company', String(company))))
    expect(gone.record).toMatchObject({ name: `Erased worker ${id}` })
  })

  test('may end in a line that was cut off, and names persons and companies that are not there', async () => {
    await appendFile(file(), '{"company":1,"ki')
    const id = await make('contacts', { name: 'Cut Off', client_id: await make('clients', { name: 'C' }) })
    expect((await stage.give(erasing('contacts', id))).code).toBe(0)
    const lines = await linesOf()
    expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ kind: 'contacts', id })
    const other = join(stage.folder, 'other.jsonl')
    const strange = { company: 999, kind: 'workers', id: 1, at: '2026-01-01T00:00:00Z' }
    await writeFile(other, `${JSON.stringify(strange)}\n`)
    const again = jsonOf(await stage.give([...person('erase', '--from', file(), '--from', other), '--json']))
    expect(again).toMatchObject({ erased: 0, not_there: 1, unreadable: 1, left: [] })
    // The own file names everybody from now on.
    expect((await linesOf()).map((line) => line.includes('"company":999'))).toContain(true)
    const missing = await stage.give(person('erase', '--from', join(stage.folder, 'nowhere')))
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('No such file: ') })
  })

  test('that cannot be written keeps everybody as they are', async () => {
    const id = await make('workers', { name: 'Full Disk' })
    const taken = join(stage.folder, 'taken')
    await writeFile(taken, '')
    const said = await stage.give(erasing('workers', id), { PLUMBLINE_BACKUP_TO: join(taken, 'backups') })
    expect(said.code).toBe(1)
    expect(said.err).toContain('ENOTDIR')
    const there = jsonOf(await stage.give(person('export', 'workers', String(id), '--company', String(company))))
    expect(there.record).toMatchObject({ name: 'Full Disk' })
    expect((await stage.give(erasing('workers', id))).code).toBe(0)
  })

  test('is counted by a restore of a moment before, which gives the command', async () => {
    const id = await make('workers', { name: 'Rae Restored' })
    const backups = join(stage.folder, 'kept')
    await mkdir(backups)
    const backup = join(backups, 'before')
    expect((await stage.give(['backup', backup, '--with-key'])).code).toBe(0)
    expect((await stage.give(erasing('workers', id))).code).toBe(0)
    const copy = join(stage.folder, 'host-two.jsonl')
    await copyFile(file(), copy)
    const restored = { PLUMBLINE_DATA: join(stage.folder, 'restored') }
    const said = await stage.give(['restore', backup, '--erased', copy], restored)
    expect(said.code, said.err).toBe(0)
    expect(said.out).toContain(`1 person erased after that moment`)
    expect(said.out).toContain(`plumbline person erase --from ${copy}`)
    const exported = person('export', 'workers', String(id), '--company', String(company))
    expect(jsonOf(await stage.give(exported, restored)).record).toMatchObject({ name: 'Rae Restored' })
    expect(jsonOf(await stage.give([...person('erase', '--from', copy), '--json'], restored)).erased).toBe(1)
    expect(jsonOf(await stage.give(exported, restored)).record).toMatchObject({ name: `Erased worker ${id}` })
    await stopServer(join(restored.PLUMBLINE_DATA, 'postgres', 'cluster'))
  })
})
