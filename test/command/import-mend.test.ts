import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import type { OpenApp } from '#server/app.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

/** Lists as people have them: what fits is imported, and what does not is left empty, replaced or created as somebody says. */

let stage: Stage
let opened: OpenApp
let company: number
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
  const words = ['company', 'create', '--name', 'Altbau', '--currency', 'EUR', '--plan', 'ENTERPRISE', '--json']
  company = jsonOf(await stage.give(words)).company_id as number
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const give = (...words: string[]) => stage.give([...words, '--company', String(company)])
const json = async (...words: string[]) => jsonOf(await give(...words, '--json'))
const fileOf = async (name: string, text: string): Promise<string> => {
  const path = join(stage.folder, name)
  await writeFile(path, text)
  return path
}
const read = (text: string) => opened.app.database.read<JsonObject>({ text, values: [company] })
const live = (records: string, column = 'name') =>
  read(`select ${column} as it from ${records} where company_id = $1 and deleted_at is null order by id`).then((rows) =>
    rows.map(({ it }) => it),
  )

test('Of a messy list of 60 clients at least 50 come in without an editor, and one undo takes all of it back.', async () => {
  const file = join(stage.folder, 'messy.csv')
  await copyFile(join(import.meta.dirname, '../values/files/messy-clients.csv'), file)
  const importing = ['import', 'clients', file, '--match', 'external_ref', '--decimal', 'comma']
  const strict = await json(...importing, '--dry-run', '--skip-refused')
  expect((strict.created as number) + (strict.refused as number)).toBe(60)
  expect(strict.created).toBe(5)

  const words = ['Kategorie:n/a=', 'Land:BRD=DE', 'Land:D=Deutschland', 'Land:Ö=AT', 'E-Mail:k.A.=']
  const states = ['Status:Ruht=INACTIVE', 'Status:alt=INACTIVE']
  const categories = ['Kategorie:Stammkunde', 'Kategorie:Behörde', 'Kategorie:Neukunde']
  const deciding = [
    ...['--unfit', 'empty'],
    ...[...words, ...states].flatMap((word) => ['--value', word]),
    ...categories.flatMap((word) => ['--new', word]),
  ]
  const done = await json(...importing, ...deciding, '--skip-refused')
  expect(done.created).toBeGreaterThanOrEqual(50)
  expect(done).toMatchObject({ done: true })
  // Words of one spelling are one record.
  expect((await live('categories')).toSorted()).toEqual(['Behörde', 'Neukunde', 'Stammkunde'])
  expect(await live('clients')).toHaveLength(done.created as number)
  const emptied = done.emptied as JsonObject[]
  expect(emptied.length).toBeGreaterThan(50)
  expect(emptied.every(({ line, column, value }) => line && column && value)).toBe(true)
  expect((done.reasons as JsonObject[]).map(({ code }) => code)).toEqual(
    expect.arrayContaining(['required', 'cells', 'twice']),
  )

  await give('undo', done.write_id as string)
  expect([await live('clients'), await live('categories')]).toEqual([[], []])
})

const crew = 'Name;Trade;Email\nAda Lund;Elektrik;ada@crew.example\nBo Ehlers;elektrik;n/a\nCy Stein;Putz;\n'

test('Unknown words are listed together with the options that decide about them, and decided once for the file.', async () => {
  const file = await fileOf('crew.csv', crew)
  const asked = await give('import', 'workers', file, '--dry-run')
  expect(asked.out).toContain(
    'Unknown in Trade: "Elektrik" (2 rows), "Putz" (1 row). Decide with --value "Trade:Elektrik=…" or --new "Trade:Elektrik".',
  )
  const options = ['--new', 'Trade:Elektrik', '--value', 'Trade:Putz=', '--unfit', 'empty']
  const shown = await give('import', 'workers', file, '--dry-run', ...options)
  expect(shown.out).toContain('Left empty: line 3, Email must be one e-mail address')
  expect(shown.out).toContain('Would create 3, change 0, leave 0 alone and refuse 0.')
  expect(await live('trades')).toEqual([])

  const done = await json('import', 'workers', file, ...options)
  expect(done).toMatchObject({ created: 3, refused: 0, done: true })
  expect(await live('trades')).toEqual(['Elektrik'])
  const [trade] = await live('trades', 'id')
  expect(await live('workers', 'trade_id')).toEqual([trade, trade, null])
  const [stored] = await read(
    `select created, settings from imports where company_id = $1 order by write_id desc limit 1`,
  )
  // The word is no row of the file, and no text of a cell stays behind an import that is done.
  expect(stored).toMatchObject({ created: 3, settings: { unfit: 'empty' } })
  expect(stored?.settings).not.toHaveProperty('words')

  await give('undo', done.write_id as string)
  expect([await live('trades'), await live('workers', 'name')]).toEqual([[], []])
})

test.each([
  [
    'no column',
    ['--value', 'Gewerk:Putz=Plaster'],
    '"Gewerk:Putz" begins with no column; there are Name, Trade, Email.',
  ],
  ['no cell', ['--value', 'Trade:Gips=Plaster'], 'No cell of the column "Trade" has "Gips".'],
  [
    'no list of words',
    ['--new', 'Email:n/a'],
    'The column "Email" is for no list of words, such as trades, so "Email:n/a" cannot be created.',
  ],
  ['no value', ['--value', 'Trade'], '--value must be like "Trade:Elektrik=Electrician" and not "Trade".'],
])('A choice about a word with %s is refused, and nothing is written.', async (_, options, message) => {
  const refused = await give('import', 'workers', await fileOf('crew.csv', crew), ...options)
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(message)])
  expect(await live('workers', 'name')).toEqual([])
})

test('A cell that does not fit a required field, or by which records are found, refuses its row all the same.', async () => {
  const file = await fileOf('required.csv', 'Kd-Nr;Firma;Status\nA-1;Keel;Ruht\n;Hull;Aktiv\n')
  const done = await json(
    'import',
    'clients',
    file,
    '--match',
    'external_ref',
    '--unfit',
    'empty',
    '--dry-run',
    '--skip-refused',
  )
  expect(done).toMatchObject({ created: 0, refused: 2, emptied: [] })
  expect(await readFile(file, 'utf8')).toContain('Ruht')
})
