import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { createStage, jsonOf, pause, type Stage } from './stage.ts'

let stage: Stage
/** Its PostgreSQL runs on between the commands. */
let opened: OpenApp
let company: number
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
  const made = await stage.give([
    'company',
    'create',
    '--name',
    'Altbau',
    '--currency',
    'EUR',
    '--plan',
    'ENTERPRISE',
    '--json',
  ])
  company = jsonOf(made).company_id as number
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const fileOf = async (name: string, text: string, encoding: BufferEncoding = 'utf8'): Promise<string> => {
  const path = join(stage.folder, name)
  await writeFile(path, Buffer.from(text, encoding))
  return path
}
const give = (...words: string[]) => stage.give([...words, '--company', String(company)])
const json = async (...words: string[]) => jsonOf(await give(...words, '--json'))

/** Names and references of the live records, in the order of their ids. */
async function listed(records: string): Promise<string[]> {
  const text = `select name, external_ref from ${records} where company_id = $1 and deleted_at is null order by id`
  const rows = await opened.app.database.read<{ name: string; external_ref: string | null }>({
    text,
    values: [company],
  })
  return rows.map(({ name, external_ref }) => `${external_ref} ${name}`)
}

const customers = [
  'Kundennummer;Firma;Ort;Kreditlimit;Bemerkung',
  'K-1;Müller Hochbau;Köln;"1.234,56";Alt',
  'K-2;Groß & Söhne;Nürnberg;99,5;',
  'K-3;König;;;',
]

test('A file of another system: clients, then projects that refer to them by name; and all of it taken back.', async () => {
  const clients = await fileOf('kunden.csv', `${customers.join('\r\n')}\r\n`, 'latin1')
  const encoded = ['--encoding', 'windows-1252']
  const dry = await json('import', 'clients', clients, '--match', 'external_ref', '--dry-run', ...encoded)
  expect(dry).toMatchObject({ created: 3, changed: 0, same: 0, refused: 0, write_id: null })
  expect(dry.columns).toMatchObject({ Firma: 'name', Ort: 'billing_address.city' })
  const less = await json('import', 'clients', clients, '--map', 'Ort=', '--dry-run', ...encoded)
  expect(less.columns).not.toHaveProperty('Ort')
  expect(await listed('clients')).toEqual([])

  const done = await json('import', 'clients', clients, '--match', 'external_ref', ...encoded)
  expect(done).toMatchObject({ created: 3, done: true })
  expect(await listed('clients')).toEqual(['K-1 Müller Hochbau', 'K-2 Groß & Söhne', 'K-3 König'])
  // The encoding is the one that was chosen last, and nothing is to be written, so nothing is asked.
  const again = await give('import', 'clients', clients, '--match', 'external_ref')
  expect(again.out).toContain(
    'Read as windows-1252, as was chosen last, with ; between cells; the header is in line 1.',
  )
  expect(await json('import', 'clients', clients, '--match', 'external_ref')).toMatchObject({
    created: 0,
    changed: 0,
    same: 3,
  })

  const jobs = await fileOf(
    'jobs.csv',
    'Auftrag;Nr;Kunde;Beginn;Summe\nWand;P-1;groß & söhne;31.03.2026;12.000,00 €\nDach;P-2;K-1;1.4.2026;1\n',
  )
  const map = ['--map', 'Auftrag=name', '--map', 'Summe=contract_minor']
  const projects = await json('import', 'projects', jobs, ...map)
  expect(projects).toMatchObject({ created: 2, refused: 0 })
  expect(await listed('projects')).toEqual(['P-1 Wand', 'P-2 Dach'])

  const kept = await give('undo', done.write_id as string)
  expect(kept.code).toBe(1)
  expect(kept.err).toContain('has changed since')
  const preview = await json('undo', projects.write_id as string, '--dry-run')
  expect(preview).toMatchObject({
    data: { undone: false, dry_run: true, records: 2, remaining: 0 },
    plan: { total: 2 },
  })
  expect((await give('undo', projects.write_id as string, '--dry-run')).out).toMatch(
    /^Would reverse 2 records of .*\. Nothing was written\.\n {2}projects \d+: deleted\n {2}projects \d+: deleted\n$/,
  )
  expect(await json('undo', projects.write_id as string)).toMatchObject({ records: 2 })
  expect(await json('undo', done.write_id as string)).toMatchObject({ records: 3 })
  expect(await listed('clients')).toEqual([])
})

test('Rows that are refused are told with their lines, and nothing is written without a word; the report can be mended.', async () => {
  const file = await fileOf('bad.csv', 'Ref;Name;Status;Credit limit\nB-1;Good;Active;10\nB-2;Bad;Asleep;=cmd\nB-3;\n')
  const report = join(stage.folder, 'refused.csv')
  const refused = await give('import', 'clients', file, '--report', report)
  expect(refused.code).toBe(4)
  expect(refused.err).toContain(
    '2 rows of bad.csv cannot be imported: correct them, or give --skip-refused to import the others.\n',
  )
  expect(refused.out).toContain(
    'line 3: Status cannot be read at "Asleep": must be one of Active, Prospect, Inactive, Blocked (the cell has "Asleep"); Credit limit cannot be read at "=cmd": must be a number',
  )
  expect(refused.out).toContain('line 4: has 2 cells, where the columns are 4')
  expect(refused.out).toContain('Nothing was written')
  expect(await listed('clients')).toEqual([])
  const text = await readFile(report, 'utf8')
  expect(text).toContain("B-2,Bad,Asleep,'=cmd,")

  expect(await json('import', 'clients', file, '--skip-refused')).toMatchObject({ created: 1, refused: 2, done: true })
  await writeFile(report, text.replace('Asleep', 'Active').replace("'=cmd", '20').replace('B-3,', 'B-3,Third'))
  expect(await json('import', 'clients', report)).toMatchObject({ created: 2, refused: 0 })
  expect(await listed('clients')).toEqual(['B-1 Good', 'B-2 Bad', 'B-3 Third'])
})

test('Rows find their records by name, e-mail address or telephone number: one is changed, several refuse their row, none is created.', async () => {
  const before =
    'Name;E-mail;Phone\nAda Bau;ada@bau.example;0221 555010\nTwin;t@twin.example;0221 777010\ntwin;T@twin.example;0221 777 010\n'
  expect(await json('import', 'subcontractors', await fileOf('before.csv', before))).toMatchObject({ created: 3 })
  const rows: [match: string, text: string][] = [
    ['name', 'Name;Notes\nADA BAU;a\nTWIN;b\nNew;c\n'],
    ['email', 'E-mail;Name\nAda@bau.example;Ada\nt@twin.example;b\nnew@bau.example;c\n'],
    ['phone', 'Phone;Name\n+49 221 555 010;Ada\n0221-777010;b\n0221 999010;c\n'],
  ]
  for (const [match, text] of rows) {
    const file = await fileOf(`${match}.csv`, text)
    const { refused_rows, ...counts } = await json(
      'import',
      'subcontractors',
      file,
      '--match',
      match,
      '--dry-run',
      '--skip-refused',
    )
    expect([match, counts]).toMatchObject([match, { created: 1, changed: 1, refused: 1 }])
    expect(JSON.stringify(refused_rows)).toMatch(
      /"ambiguous_name","message":"may be Twin \(id \d+\) or twin \(id \d+\)"/,
    )
  }
})

test('The order of days is asked by the name of its option where no cell decides it, and said in what is printed.', async () => {
  const file = await fileOf('days.csv', 'Name;Start;Contract value\nPier;03/04/2026;1.250\n')
  const asked = await give('import', 'projects', file)
  expect([asked.code, asked.out]).toEqual([2, ''])
  expect(asked.err).toContain('"03/04/2026" in line 2, column "Start",')
  expect(asked.err).toContain('say --dates dmy or --dates mdy')
  const chosen = await give('import', 'projects', file, '--dates', 'mdy', '--dry-run')
  expect(chosen.out).toContain('Days are read as mdy.')
  // The euro has two decimals, so these three digits are thousands.
  expect(chosen.out).toContain('Numbers are read with a decimal comma.')
  expect(await json('import', 'projects', file, '--dates', 'dmy', '--dry-run')).toMatchObject({
    ...{ created: 1, dates: 'dmy', decimal: 'comma' },
  })
})

const mistakes: [title: string, text: string, words: string[], sentence: RegExp, code: number][] = [
  ['no such field', 'Name\nA\n', ['--map', 'Name=nome'], /no field "nome" that can be imported; there are/, 2],
  ['no such column', 'Name\nA\n', ['--map', 'Nome=name'], /no column "Nome"; there are Name/, 2],
  [
    'a column for a field that has one',
    'Name;Firm\nA;B\n',
    ['--map', 'Name=name', '--map', 'Firm=name'],
    /Two columns are for name/,
    2,
  ],
  ['nothing that is known', 'Xyz\nA\n', [], /No column is for a field/, 2],
  ['a match by a field that many have', 'Name\nA\n', ['--match', 'status'], /--match must be one of/, 2],
  ['a match without a column', 'Name\nA\n', ['--match', 'external_ref'], /No column is for external_ref/, 2],
  ['no rows', '', [], /The file has no rows/, 1],
  ['nothing to go on with', 'Name\nA\n', ['--continue'], /No import of this file has stopped here/, 1],
  ['a quote that stays open', 'Name;Notes\nA;"b\n', [], /never closed/, 1],
  ['a line that is none', 'Name\nA\n', ['--header-row', '0'], /--header-row must be the number of a line/, 2],
  ['a line without a header', 'Name\nA\n', ['--header-row', '7'], /Line 7 is empty or not there/, 1],
  ['a sheet of a text', 'Name\nA\n', ['--sheet', 'One'], /The file is no workbook/, 1],
  ['a sign that is none', 'Name\nA\n', ['--decimal', 'dot'], /--decimal must be comma or point/, 2],
]
test.each(mistakes)('%s is said', async (_, text, words, sentence, exit) => {
  const file = await fileOf('mistake.csv', text)
  const { code, err } = await give('import', 'clients', file, ...words)
  expect(err).toMatch(sentence)
  expect(code).toBe(exit)
})

test('A file that is not there, kinds and ids that are none', async () => {
  expect((await give('import', 'clients', join(stage.folder, 'none.csv'))).err).toBe(
    `No such file: ${join(stage.folder, 'none.csv')}.\n`,
  )
  expect((await give('import', 'customers', 'a.csv')).err).toContain('There is no kind of records "customers"')
  expect((await give('undo', 'yesterday')).err).toContain('The id of a write is like')
  expect((await give('undo', crypto.randomUUID())).err).toContain('no write with this id')
})

const many = 2000
const manyRows = Array.from({ length: many }, (_, n) => `Row ${n};R-${n}\n`).join('')

test('Killed in the middle it goes on where it stopped, and no row is written twice.', {
  timeout: 120_000,
}, async () => {
  const file = await fileOf('many.csv', manyRows)
  const before = await listed('clients')
  const words = ['import', 'clients', file, '--company', String(company)]
  // It goes on as the file was read then, without a word.
  const reading = ['--no-header', '--map', 'Column 1=name', '--map', 'Column 2=external_ref']
  const running = stage.start([...words, ...reading])
  const done = async (): Promise<number> => {
    const text = 'select coalesce(max(done), 0)::int as done from imports where rows = $1'
    const [row] = await opened.app.database.read<{ done: number }>({ text, values: [many] })
    return row?.done ?? 0
  }
  while ((await done()) === 0 && running.child.exitCode === null) await pause(5)
  running.child.kill('SIGKILL')
  await running.ended
  const settled = await done()
  expect(settled).toBeGreaterThan(0)
  expect(settled).toBeLessThan(many)

  const again = await stage.give(words)
  expect(again.code).toBe(1)
  expect(again.err).toContain(`stopped behind ${settled} of ${many} rows: go on with --continue`)
  const rest = jsonOf(await stage.give([...words, '--continue', '--json']))
  expect(rest).toMatchObject({ created: many - settled, done: true })
  const now = await listed('clients')
  expect(now.length).toBe(before.length + many)
  expect(new Set(now).size).toBe(now.length)
  // One write, taken back as one.
  expect(await json('undo', rest.write_id as string)).toMatchObject({ records: many })
  expect(await listed('clients')).toEqual(before)
})

test('Ctrl-C stops behind the batch under way, and says how to go on and how to undo.', {
  timeout: 120_000,
}, async () => {
  const file = await fileOf('stopped.csv', `Name;Ref\n${manyRows.replaceAll('R-', 'S-')}`)
  const before = await listed('clients')
  const words = ['import', 'clients', file, '--company', String(company)]
  const running = stage.start(words)
  for (let done = 0; done === 0 && running.child.exitCode === null; await pause(5)) {
    const text = "select coalesce(max(done), 0)::int as done from imports where file_name = 'stopped.csv'"
    done = (await opened.app.database.read<{ done: number }>({ text, values: [] }))[0]?.done ?? 0
  }
  running.child.kill('SIGINT')
  const { code, out } = await running.ended
  expect(code).toBe(130)
  expect(out).toMatch(
    /Stopped\. To go on, give the command again with --continue; to take back what was done: plumbline undo [\w-]+ --company \d+/,
  )
  const written = (await listed('clients')).length - before.length
  expect(written % 500).toBe(0)
  expect(written).toBeGreaterThan(0)
  const [, writeId = ''] = /undo ([\w-]+)/.exec(out) ?? []
  expect(await json('undo', writeId)).toMatchObject({ records: written })
  expect(await listed('clients')).toEqual(before)
})

test.each(['people', 'programs'])(
  'What "export" writes for %s is imported again by the ids, and changes nothing.',
  async (form) => {
    const before = await listed('clients')
    const path = join(stage.folder, `out-${form}.csv`)
    const words = ['--form', form, '--language', 'de', '--out', path]
    expect(await json('export', 'clients', ...words)).toEqual({ file: path, records: before.length })
    const [head] = (await readFile(path, 'utf8')).split('\r\n')
    expect(head).toMatch(form === 'people' ? /^\ufeffID;Name;/ : /^\ufeffid,name,/)
    const same = { created: 0, changed: 0, same: before.length, refused: 0 }
    expect(await json('import', 'clients', path)).toMatchObject(same)
  },
)

test('A row whose id is of no record is refused, and one whose id stands twice.', async () => {
  const [first] = await opened.app.database.read<{ id: string }>({
    text: 'select id from clients where company_id = $1 and deleted_at is null order by id limit 1',
    values: [company],
  })
  const file = await fileOf(
    'ids.csv',
    `ID,Name\n${first?.id},Zuerst\n999999999,Niemand\n${first?.id},Nochmals\n,Leer\n`,
  )
  const { refused_rows } = await json('import', 'clients', file, '--dry-run', '--skip-refused')
  expect(
    (refused_rows as { line: number; problems: { code: string }[] }[]).map(({ line, problems }) => [
      line,
      problems[0]?.code,
    ]),
  ).toEqual([
    [3, 'refused'],
    [4, 'twice'],
    [5, 'no_key'],
  ])
})

test.each([
  [['export', 'clients', '--week', '2026-03-02'], 'clients have none'],
  [['export', '--form', 'people'], '--form is for records'],
  [['export', 'clients', '--language', 'fr'], '--language must be en or de'],
])('%j is a mistake', async (words, message) => {
  const { code, err } = await give(...words)
  expect(code).toBe(2)
  expect(err).toContain(message)
})
