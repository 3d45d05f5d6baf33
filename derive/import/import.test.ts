import { describe, expect, test } from 'vitest'
import { readFile } from '#import/read-file.ts'
import { createSession, type SessionOptions } from '#import/session.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { RefusedRow } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { catalogues } from '#registry/words/index.ts'
import { columnLabel } from '../labels.ts'
import { visibleDefinition } from '../visible.ts'
import type { ImportFile } from './file.ts'
import { FileProblem } from './file-problem.ts'
import { type ChosenHabits, decideHabits, type FileHabits } from './habits.ts'
import { createImporter, type Part } from './importer.ts'
import { countDoubts, differenceCsv, groupProblems, refusedCsv, unfitCells } from './report.ts'
import { type ImportSettings, settingsProblems } from './rows.ts'
import { columnsOf, guess, targetsOf, withheldColumns } from './targets.ts'
import { unknownWords, withWord } from './words.ts'

const clients = definitionOf(registry, 'clients') as Definition
const projects = definitionOf(registry, 'projects') as Definition
const reading = { encoding: 'utf-8', delimiter: ',', headerRow: 1 } as const

const bytesOf = (text: string): Uint8Array => Buffer.from(text)
const fileOf = async (text: string): Promise<ImportFile> => {
  const countNames = (cells: readonly string[]) => Object.keys(guess(clients, cells, catalogues)).length
  return (await readFile(bytesOf(text), {}, { countNames })) as ImportFile
}

describe('Columns are known by the names of fields and by their labels in both languages', () => {
  const rows: [column: string, path: string | undefined][] = [
    ['credit_limit_minor', 'credit_limit_minor'],
    ['Kreditlimit', 'credit_limit_minor'],
    ['Credit limit', 'credit_limit_minor'],
    ['billing_address.city', 'billing_address.city'],
    ['Ort', 'billing_address.city'],
    ['PLZ', 'billing_address.postal_code'],
    ['E-Mail-Adresse', 'email'],
    ['KD.-NR.', 'external_ref'],
    ['created_at', undefined],
    ['constructor', undefined],
    ['Schuhgröße', undefined],
  ]
  test.each(rows)('%s', (column, path) => {
    expect(Object.entries(guess(clients, [column], catalogues))).toEqual(path === undefined ? [] : [[column, path]])
  })

  test('what was chosen the last time counts first, and no field is taken twice', () => {
    const columns = ['Name', 'Bezeichnung', 'Alt']
    expect(guess(clients, columns, catalogues, { Alt: 'name', Name: 'no_such_field' })).toEqual({ Alt: 'name' })
    expect(guess(clients, columns, catalogues)).toEqual({ Name: 'name' })
  })

  test('the id and every field that can be sent are targets, but lists of lines', () => {
    const estimates = definitionOf(registry, 'estimates') as Definition
    const paths = targetsOf(estimates).map(({ path }) => path)
    expect(paths).toContain('client_id')
    expect(paths).not.toContain('lines')
    expect(paths).toContain('id')
    expect(paths).not.toContain('total_minor')
  })

  test('columns of fields that somebody does not see are known as such, and no others', () => {
    const visible = visibleDefinition(clients, ['TAX_VIEW', 'MONEY_VIEW'])
    const columns = ['Name', 'Kreditlimit', 'tax_id', 'Notizen', 'Something else']
    expect(withheldColumns(clients, visible, columns, catalogues).toSorted()).toEqual(['Kreditlimit', 'tax_id'])
    expect(withheldColumns(clients, clients, columns, catalogues)).toEqual([])
  })

  test('every label is known in either language, also alone', () => {
    for (const definition of registry)
      for (const catalogue of catalogues)
        for (const target of targetsOf(definition)) {
          const label = columnLabel(catalogue, definition, target)
          expect(guess(definition, [label], catalogues), label).toEqual({ [label]: target.path })
        }
  })

  test('a column of a field that the service works out is taken for no other field', () => {
    for (const definition of registry)
      for (const catalogue of catalogues) {
        const targets = targetsOf(definition).map(({ path }) => path)
        const labels = columnsOf(definition)
          .filter(({ path }) => !targets.includes(path))
          .map((column) => columnLabel(catalogue, definition, column))
        expect(guess(definition, labels, catalogues)).toEqual({})
      }
  })

  test('an export is known whole', () => {
    for (const definition of registry) {
      const paths = targetsOf(definition).map(({ path }) => path)
      expect(guess(definition, paths, catalogues)).toEqual(Object.fromEntries(paths.map((path) => [path, path])))
    }
  })
})

describe('All cells together decide how numbers and days are written; what they leave open is asked', () => {
  const both = { decimal: 'open', dates: 'open' }
  const rows: [title: string, amounts: string[], days: string[], chosen: ChosenHabits, decided: object][] = [
    ['a comma and two digits', ['1.234,56', '12'], ['31/03/2026'], {}, { decimal: 'comma', dates: 'dmy' }],
    ['a point after a comma', ['1,234.56'], ['03/31/2026'], {}, { decimal: 'point', dates: 'mdy' }],
    [
      'a part above 12 in the last row',
      ['1', '2'],
      ['03/04/2026', '3/31/2026'],
      {},
      { decimal: undefined, dates: 'mdy' },
    ],
    [
      'three digits, as the dollar has two decimals',
      ['1,234'],
      ['2026-01-31'],
      {},
      { decimal: 'point', dates: undefined },
    ],
    ['nothing', ['12'], ['31.03.2026', '31-Mar-2026'], {}, { decimal: undefined, dates: undefined }],
    ['an order that nothing decides', ['1'], ['01/02/2026'], {}, { decimal: undefined, dates: 'open' }],
    ['the same day in both orders', ['1'], ['02/02/2026'], {}, { decimal: undefined, dates: undefined }],
    ['cells that contradict each other', ['1,5', '2.5'], ['31/03/2026', '03/31/2026'], {}, both],
    ['a choice', ['1,5'], ['01/02/2026'], { decimal: 'point', dates: 'mdy' }, { decimal: 'point', dates: 'mdy' }],
    [
      'a choice of an earlier version',
      ['1'],
      ['01/02/2026'],
      { dates: 'ymd' as 'dmy' },
      { decimal: undefined, dates: 'open' },
    ],
  ]
  test.each(rows)('%s', (_, amounts, days, chosen, decided) => {
    const cells = Array.from({ length: Math.max(amounts.length, days.length) }, (_, n) => [
      amounts[n] ?? '',
      days[n] ?? '',
    ])
    const file = { columns: ['a', 'b'], rows: cells.map((each, n) => ({ line: n + 2, cells: each })) }
    const settings = { columns: { a: 'contract_minor', b: 'start_date' }, ...chosen }
    const { open, ...habits } = decideHabits(projects, file, settings, 'USD')
    const openOnes = { ...(open.decimal && { decimal: 'open' }), ...(open.dayOrder && { dates: 'open' }) }
    expect({ ...habits, ...openOnes }).toEqual(decided)
    const codes = settingsProblems(projects, file, { ...settings, match: null, reading }, { open }).map(
      ({ code }) => code,
    )
    expect(codes.map((code) => code.replace(/^open_/, ''))).toEqual(Object.keys(open))
  })

  test('a refusal names a cell and the option that decides it', async () => {
    const file = await fileOf('Name;Start\nPier;04.05.2026\nQuay;03/04/2026\n')
    const settings = { columns: { Name: 'name', Start: 'start_date' }, match: null, reading: file.reading }
    const habits = decideHabits(projects, file, settings, 'USD')
    expect(settingsProblems(projects, file, settings, habits).map(({ message }) => message)).toEqual([
      '"03/04/2026" in line 3, column "Start", can be read with the day or the month first: say --dates dmy or --dates mdy.',
    ])
  })
})

/** A service that knows some records, refuses a body with the name Taken and doubts one with the name Late. */
function service(known: { [reference: string]: number } = {}, names: { [name: string]: number[] } = {}) {
  const tries: JsonObject[][] = []
  return {
    tries,
    async lookUp(field: string, values: readonly string[]) {
      const ids = (value: string): number[] =>
        field === 'external_ref' ? [known[value.toLowerCase()] ?? []].flat() : (names[value] ?? [])
      return values.flatMap((value, place) => ids(value).map((id) => ({ place, id, title: value, also: `R-${id}` })))
    },
    extend: async (): Promise<unknown> => undefined,
    async attempt(operations: readonly JsonObject[]) {
      tries.push([...operations])
      const bodies = operations.map(({ body }) => body as JsonObject)
      const refused = bodies.flatMap(({ name }, n) => (name === 'Taken' ? [n] : []))
      if (refused.length > 0) {
        const errors = [{ field: 'body.name', code: 'not_unique' as const, message: 'must be unique' }]
        const problem = {
          type: '',
          title: '',
          status: 422,
          detail: '',
          code: 'validation_failed' as const,
          request_id: '',
          errors,
        }
        throw { code: 'batch_refused', refused: refused.map((n) => ({ n, status: 422, problem })) } satisfies Refused
      }
      const changed = operations.map(({ id }, n) =>
        id !== undefined ? { id: id as number, changed: bodies[n]?.name === 'Same' ? [] : ['name'] } : { id: null },
      )
      const changes = operations.map(({ id }, n) => ({
        ...{ records: 'clients', id: (id ?? null) as number | null, action: id === undefined ? 'created' : 'updated' },
        fields: { name: [id === undefined ? null : 'Old', bodies[n]?.name ?? null] },
      }))
      const done = { mode: 'all', dry_run: true, done: changed.length, refused: 0 }
      return {
        data: { ...done, operations: changed.map((data, n) => ({ n, status: 200, data })) },
        plan: {
          hash: `plan-${tries.length}`,
          total: changes.length,
          changes,
          would_delete: [],
          would_keep: [],
        } as never,
        doubts: bodies.flatMap(({ name }, n) =>
          name === 'Late' ? [{ n, field: 'name', code: 'too_late' as const, message: 'was the last day' }] : [],
        ),
      }
    },
    refusalOf: (error: unknown) => (error instanceof Error ? undefined : (error as Refused)),
  }
}
type Refused = { code: string; refused?: readonly RefusedRow[] }

const noneOpen: Pick<FileHabits, 'open'> = { open: {} }

async function importing(
  text: string,
  { alike, ...given }: Partial<ImportSettings> & { alike?: readonly string[] },
  asked = service(),
  definition = clients,
) {
  const file = await fileOf(text)
  const columns = guess(definition, file.columns, catalogues)
  const settings: ImportSettings = { columns, match: null, reading: file.reading, ...given }
  expect(settingsProblems(definition, file, settings, noneOpen)).toEqual([])
  const read = createImporter(
    { definition, file, settings, currency: 'EUR', catalogues, ...(alike && { alike }) },
    asked,
  )
  return { file, asked, settings, read }
}

describe('What each row would do is found by trying', () => {
  test('rows that are there are changed, others made; what changes nothing is left alone, and what is refused says why', async () => {
    const text = 'Ref;Name\nR-1;New name\nR-2;Same\nR-3;Third\nR-4;Taken\nr-3;Again\n;Nobody\n'
    const { read, asked, file } = await importing(text, { match: 'external_ref' }, service({ 'r-1': 11, 'r-2': 12 }))
    const part = await read(0)
    expect(part.rows.map(({ line, outcome, id }) => [line, outcome, id])).toEqual([
      [2, 'changed', 11],
      [3, 'same', 12],
      [4, 'created', null],
      [5, 'refused', null],
      [6, 'refused', null],
      [7, 'refused', null],
    ])
    expect(part.rows.flatMap(({ problems }) => problems.map(({ code, column }) => [code, column]))).toEqual([
      ['not_unique', 'Name'],
      ['twice', 'Ref'],
      ['no_key', 'Ref'],
    ])
    expect(part.rows[0]?.fields).toEqual({ name: ['Old', 'New name'] })
    expect(part.rows[2]?.fields).toEqual({ name: [null, 'Third'] })
    // The last try is what is written.
    expect(part.operations).toEqual(asked.tries.at(-1))
    expect(part.plan).toBe(`plan-${asked.tries.length}`)
    expect(part.operations.map(({ op }) => op)).toEqual(['update', 'create'])
    expect(refusedCsv(file, part.rows).split('\r\n')[1]).toBe('R-4,Taken,Name must be unique')
  })

  test('names lead to records; one that leads to none or to several refuses its row, and names them', async () => {
    const text = 'Projekt;Kunde\nA;Quay\nB;Nobody\nC;Twins\n'
    const { read } = await importing(text, {}, service({}, { Quay: [7], Twins: [8, 9] }), projects)
    const { rows, operations } = await read(0)
    expect(operations).toEqual([{ op: 'create', body: { name: 'A', client_id: 7 } }])
    expect(rows.map(({ problems }) => problems.map(({ code, message }) => [code, message]))).toEqual([
      [],
      [['unknown_name', 'is the name of no record']],
      [['ambiguous_name', 'may be Twins (R-8, id 8) or Twins (R-9, id 9)']],
    ])
  })

  test('a row whose match finds several records, or the record of another row, is refused and names them', async () => {
    const known = service({}, { Quay: [7], Quáy: [7], Twins: [8, 9] })
    const { read } = await importing('Firma;Ort\nQuay;A\nTwins;B\nQuáy;C\nNew;D\nnew;E\n', { match: 'name' }, known)
    const { rows, operations } = await read(0)
    expect(operations.map(({ op, id }) => [op, id])).toEqual([
      ['update', 7],
      ['create', undefined],
    ])
    expect(rows.map(({ problems }) => problems.map(({ code, message }) => [code, message]))).toEqual([
      [],
      [['ambiguous_name', 'may be Twins (R-8, id 8) or Twins (R-9, id 9)']],
      [['twice', 'is the same as in line 2']],
      [],
      [['twice', 'is the same as in line 5']],
    ])
  })

  test('a row with the name of another record, or of an earlier row, is a doubt and is written all the same', async () => {
    const known = service({ 'r-1': 7 }, { Quay: [7], pier: [8] })
    const text = 'Ref;Firma\nR-1;Quay\nR-2;Quay\nR-3;Pier\nR-4;pier\nR-5;Alone\n'
    const { read } = await importing(text, { match: 'external_ref', alike: ['name', 'phone'] }, known)
    const { rows, operations } = await read(0)
    expect(operations).toHaveLength(5)
    expect(rows.map(({ doubles }) => doubles)).toEqual([
      [],
      [{ field: 'name', id: 7, title: 'Quay' }],
      [{ field: 'name', id: 8, title: 'pier' }],
      [
        { field: 'name', id: 8, title: 'pier' },
        { field: 'name', line: 4, title: 'Pier' },
      ],
      [],
    ])
    expect(differenceCsv(rows).split('\r\n')).toContain('4,created,,Pier,,,name,,,is also that of pier (id 8)')
    const unasked = await importing(text, { match: 'external_ref' }, known)
    expect((await unasked.read(0)).rows.flatMap(({ doubles }) => doubles)).toEqual([])
  })

  test('a row of another length and one that cannot be read are refused, and all that is wrong is said at once', async () => {
    const { read } = await importing('Name;Status;Kreditlimit\nA;Aktiv\nB;Aktiv;1;x\nC\ufffd;Ruht;viel\n', {})
    const { rows } = await read(0)
    expect(rows.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ['cells'],
      ['cells'],
      ['unreadable', 'no_such_word', 'not_a_number'],
    ])
  })

  test('an empty cell says nothing', async () => {
    const { read } = await importing('Name;Status;Kreditlimit\nA;;\n', {})
    expect((await read(0)).operations).toEqual([{ op: 'create', body: { name: 'A' } }])
  })

  test('no formula leaves in what is downloaded', async () => {
    const { read, file } = await importing('Name;Kreditlimit\n"=cmd|\' /C calc\'!A0";x\n+1;@y\n', {})
    const { rows } = await read(0)
    for (const csv of [refusedCsv(file, rows), differenceCsv(rows)]) {
      expect(csv).not.toMatch(/(^|[,;\r\n\t])"?[=+@-](?!\d+([.,\r]|$))/)
    }
  })
})

describe('Parts', () => {
  const many = (count: number) => `Ref;Name\n${Array.from({ length: count }, (_, n) => `R-${n};Name ${n}\n`).join('')}`
  const session = async (text: string, apply: Apply = async () => undefined, given: Partial<SessionOptions> = {}) => {
    const session = createSession({
      definition: clients,
      currency: 'EUR',
      catalogues,
      given: {},
      goesOn: () => true,
      onChange: () => undefined,
      service: { ...service(), list: async () => [], begin: async () => 'write', apply },
      ...given,
    })
    await session.parse('clients.csv', async () => bytesOf(text))
    await session.preview()
    return session
  }
  type Apply = SessionOptions['service']['apply']
  const planChanged: Refused = { code: 'plan_changed' }

  test('have no more rows and no more bytes than a batch', async () => {
    const { state } = await session(many(1201))
    expect(state.parts.map(({ from, to }) => [from, to])).toEqual([
      [0, 500],
      [500, 1000],
      [1000, 1201],
    ])
    const notes = 'x'.repeat(9000)
    const cut = await session(`Name;Notes\n${Array.from({ length: 300 }, (_, n) => `N ${n};${notes}\n`).join('')}`)
    expect(cut.state.parts.length).toBeGreaterThan(2)
    for (const { operations } of cut.state.parts) expect(JSON.stringify(operations).length).toBeLessThan(4 * 1024 ** 2)
  })

  test('are done one after the other, until it is stopped; what has changed is shown again and done on a yes alone', async () => {
    const done: number[] = []
    let first: string | null
    const apply = async (_: string, { to, plan }: Part) => {
      if (to === 500 && plan === first) throw planChanged
      done.push(to)
      if (to === 1000) stopped.stop()
    }
    const stopped = await session(many(1500), apply)
    first = stopped.state.parts[0]?.plan ?? null
    await stopped.run()
    expect(stopped.state).toMatchObject({ stage: 'changed', done: 0 })
    expect(stopped.state.changed?.rows).toHaveLength(500)
    await stopped.run()
    expect(stopped.state).toMatchObject({ stage: 'stopped', done: 1000, writeId: 'write', isStopping: false })
    expect(done).toEqual([500, 1000])
    await stopped.run()
    expect(stopped.state).toMatchObject({ stage: 'done', done: 1500 })

    const refused = await session(many(10), async () => Promise.reject(planChanged))
    await refused.run()
    refused.decline()
    expect(refused.state).toMatchObject({ stage: 'stopped', done: 0, changed: undefined })
    await refused.run()
    expect(refused.state).toMatchObject({ stage: 'changed', done: 0 })
  })

  test('that have changed are counted as they are written, and not written after a stop', async () => {
    const known: { [reference: string]: number } = {}
    const written: string[] = []
    const apply = async (_: string, { plan, rows }: Part) => {
      if (plan === shown.state.parts[0]?.plan && known['r-0'] === undefined) {
        known['r-0'] = 7
        throw planChanged
      }
      written.push(...rows.map(({ outcome }) => outcome))
    }
    const given = { service: { ...service(known), list: async () => [], begin: async () => 'write', apply } }
    const shown = await session(many(1), undefined, given)
    expect(shown.state.counts).toMatchObject({ created: 1, changed: 0 })
    await shown.run()
    expect(shown.state).toMatchObject({ stage: 'changed', changed: { rows: [{ outcome: 'changed', id: 7 }] } })
    shown.stop()
    await shown.run()
    expect(shown.state).toMatchObject({ stage: 'stopped', done: 0 })
    expect(written).toEqual([])
    await shown.run()
    expect(shown.state).toMatchObject({ stage: 'done', counts: { created: 0, changed: 1 } })
    expect(written).toEqual(['changed'])
  })

  test('are written anew when a cell was mended: its row alone is tried at once, and its text is read as the file is', async () => {
    const written: string[] = []
    const begun: ImportSettings[] = []
    const asked = service()
    const mended = await session('Name;Status;Kreditlimit\nA;Ruht;"1,50"\nTaken;;\nC;;x\n', undefined, {
      service: {
        ...{ ...asked, list: async () => [] },
        begin: async ({ settings }) => {
          begun.push(settings)
          return 'write'
        },
        apply: async (_, { operations }) => void written.push(...operations.map(({ body }) => JSON.stringify(body))),
      },
    })
    expect(mended.state.counts).toMatchObject({ created: 0, refused: 3 })
    const before = asked.tries.length
    await mended.mend(0, 'Status', 'aktiv')
    expect(asked.tries.slice(before).map((operations) => operations.length)).toEqual([1])
    await mended.mend(1, 'Name', 'B')
    await mended.mend(2, 'Kreditlimit', 'still x')
    expect(mended.state).toMatchObject({ stage: 'difference', counts: { created: 2, refused: 1 } })
    expect(mended.state.rows[2]?.problems).toMatchObject([{ code: 'not_a_number', value: 'still x' }])
    await mended.mend(2, 'Kreditlimit', '2,5')
    await mended.run()
    expect(mended.state).toMatchObject({ stage: 'done', counts: { created: 3, refused: 0 } })
    expect(written).toEqual([
      '{"name":"A","status":"ACTIVE","credit_limit_minor":150}',
      '{"name":"B"}',
      '{"name":"C","credit_limit_minor":250}',
    ])
    expect(begun[0]?.mended).toEqual({ 0: { Status: 'aktiv' }, 1: { Name: 'B' }, 2: { Kreditlimit: '2,5' } })
  })

  test('are added for the refused rows of an import that is done, and an import that goes on reads the same rows', async () => {
    const extended: object[] = []
    const parts: [number, number, number][] = []
    const text = 'Name;Kreditlimit\nA;x\nB;\nTaken;\n'
    const own = {
      ...{ ...service(), begin: async () => 'write' },
      extend: async (_: string, change: object) => void extended.push(change),
      apply: async (_: string, { from, to, operations }: Part) => void parts.push([from, to, operations.length]),
    }
    const again = await session(text, undefined, { service: { ...own, list: async () => [] } })
    await again.mend(0, 'Kreditlimit', 'y')
    await again.run()
    expect(again.state).toMatchObject({ stage: 'done', counts: { created: 1, refused: 2 } })
    await again.tryAgain()
    expect(again.state).toMatchObject({ stage: 'difference', done: 3, counts: { created: 0, refused: 2 } })
    expect(again.state.rows[0]?.problems).toMatchObject([{ value: 'y' }])
    await again.mend(3, 'Kreditlimit', '5')
    await again.run()
    expect(again.state).toMatchObject({
      stage: 'done',
      done: 5,
      settled: { created: 1 },
      counts: { created: 1, refused: 1 },
    })
    expect(parts).toEqual([
      [0, 3, 1],
      [3, 5, 1],
    ])
    const { settings } = again.state
    expect(extended).toEqual([{ rows: 5, settings }])
    expect(settings).toMatchObject({ again: [0, 2], mended: { 3: { Kreditlimit: '5' } } })
    await again.tryAgain()
    expect(again.state.settings.again).toEqual([0, 2, 2])

    const stopped = {
      ...{ write_id: 'write', account_name: '', file_name: '', fingerprint: null, same_file: true, rows: 5, done: 3 },
      ...{ created: 1, changed: 0, at: '', undone: 'nothing' as const, own: true, settings: settings as JsonObject },
    }
    const further = await session(text, undefined, { service: { ...own, list: async () => [stopped] } })
    expect(further.state).toMatchObject({ done: 3, counts: { created: 1, refused: 1 } })
  })

  test('with a row that was mended to a value of another row refuse it as the same', async () => {
    const twice = await session('Ref;Name;Kreditlimit\nR-1;A;x\nR-1;B;\n')
    expect(twice.state.rows.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ['not_a_number'],
      ['twice'],
    ])
    await twice.mend(1, 'Ref', 'R-2')
    expect(twice.state.counts).toMatchObject({ created: 1, refused: 1 })
    await twice.mend(0, 'Kreditlimit', '5')
    await twice.mend(1, 'Ref', 'r-1')
    expect(twice.state.rows[1]?.problems).toMatchObject([{ code: 'twice' }])
  })

  test('are looked at again when unfit cells are to be empty; each is listed, and those of required fields stay refused', async () => {
    const cells = await session('Ref;Name;Status;E-Mail\nR-1;A;Ruht;n/a\nR-2;B;;k.A.\nR-3;C;;\n')
    expect(cells.state.counts).toMatchObject({ created: 1, refused: 2 })
    await cells.choose({ unfit: 'empty' })
    expect(cells.state).toMatchObject({ stage: 'difference', counts: { created: 2, refused: 1 } })
    expect(unfitCells(cells.state.rows).map(({ line, problem: { column, value } }) => [line, column, value])).toEqual([
      [2, 'E-Mail', 'n/a'],
      [3, 'E-Mail', 'k.A.'],
    ])
    expect(differenceCsv(cells.state.rows)).toContain('left empty')
    expect(groupProblems(cells.state.rows).map(({ problem: { code }, count }) => [code, count])).toEqual([
      ['no_such_word', 1],
    ])
    await cells.choose({ words: withWord(undefined, 'Status', 'ruht', 'INACTIVE') })
    expect(cells.state.rows[0]?.body).toMatchObject({ status: 'INACTIVE' })
    const { file, settings, rows } = cells.state
    expect(unknownWords(clients, settings, file.columns, file.rows, rows)).toMatchObject([
      { text: 'Ruht', word: 'INACTIVE' },
    ])
    await cells.choose({ unfit: 'refuse' })
    expect(cells.state.counts).toMatchObject({ created: 1, refused: 2 })
  })

  test('with a doubt are refused until it is accepted by its code, and counted both times', async () => {
    const codes: unknown[] = []
    const apply: Apply = async (_writeId, _part, accepts) => void codes.push(accepts)
    const doubted = await session('Name\nLate\nB\nLate\n', apply)
    expect(doubted.state.counts).toMatchObject({ created: 1, refused: 2 })
    expect(doubted.state.rows[0]?.problems).toMatchObject([{ column: 'Name', value: 'Late', code: 'too_late' }])
    expect([...countDoubts(doubted.state.rows)]).toEqual([['too_late', 2]])
    await doubted.choose({ accepts: ['too_late'] })
    expect(doubted.state.counts).toMatchObject({ created: 3, refused: 0 })
    expect([...countDoubts(doubted.state.rows)]).toEqual([['too_late', 2]])
    expect(groupProblems(doubted.state.rows)).toEqual([])
    expect(differenceCsv(doubted.state.rows)).toContain('accepted: was the last day')
    await doubted.choose({ accepts: [] })
    expect(doubted.state.counts).toMatchObject({ created: 1, refused: 2 })
    await doubted.choose({ accepts: ['too_late'] })
    await doubted.run()
    expect([doubted.state.stage, codes]).toEqual(['done', [['too_late']]])
  })

  test('whose doubt is new when they are written are shown again', async () => {
    const apply: Apply = async () => {
      throw { code: 'doubtful' } satisfies Refused
    }
    const changed = await session('Name\nB\n', apply)
    await changed.run()
    expect(changed.state).toMatchObject({ stage: 'changed', done: 0 })
  })

  test('are all taken back, in as many calls as that needs', async () => {
    const written = await session(many(10))
    await written.run()
    const lost = new Error('lost')
    await expect(written.undo(() => Promise.reject(lost))).rejects.toThrow('lost')
    expect(written.state).toMatchObject({ stage: 'done', error: lost })
    const left = [4, 0]
    await written.undo(async () => left.shift() as number)
    expect(written.state).toMatchObject({ stage: 'undone', remaining: 0, error: undefined })
    expect(left).toEqual([])
  })

  test('are looked at until it is stopped, and are back at the columns if that fails', async () => {
    const stopped = await session(many(1201))
    stopped.back()
    stopped.stop()
    await stopped.preview()
    expect(stopped.state).toMatchObject({ stage: 'columns', done: 0, parts: [], isStopping: false })
    const unread = await session(many(1))
    await expect(unread.parse('none.csv', async () => bytesOf(''))).rejects.toThrow('The file has no rows.')
    expect(unread.state.stage).toBe('file')
    expect(unread.state.file.rows).toEqual([])
    expect(unread.state.error).toBeInstanceOf(FileProblem)
  })

  const earlier = {
    write_id: 'earlier',
    account_name: 'Ada',
    file_name: 'clients.csv',
    fingerprint: null,
    same_file: true,
    settings: {} as JsonObject,
    rows: 2,
    done: 1,
    created: 1,
    changed: 0,
    at: '',
    undone: 'nothing' as 'nothing' | 'all',
    own: true,
  }
  const text = 'Ref;Firm\nR-1;A\nR-2;B\n'
  const listing = async (change: Partial<typeof earlier>): Promise<Partial<SessionOptions>> => {
    const { reading } = await fileOf(text)
    const settings = { columns: { Firm: 'name' }, match: null, reading }
    const list = async () => [{ ...earlier, settings: settings as unknown as JsonObject, ...change }]
    return { service: { ...service(), list, begin: async () => 'new', apply: async () => undefined } }
  }

  test('of an import that has stopped go on behind its rows, with its settings', async () => {
    const { state } = await session(text, undefined, await listing({}))
    expect(state).toMatchObject({ done: 1, writeId: 'earlier', settings: { columns: { Firm: 'name' } } })
    expect(state.rows.map(({ line }) => line)).toEqual([3])
    for (const change of [{ own: false }, { done: 2 }, { same_file: false }]) {
      const begun = await session(text, undefined, await listing(change))
      expect(begun.state).toMatchObject({ done: 0, settings: { columns: { Ref: 'external_ref', Firm: 'name' } } })
      expect(begun.state.writeId).toBeUndefined()
    }
  })

  test('of an import that this version reads otherwise are not written', async () => {
    await expect(session(text, undefined, await listing({ rows: 3 }))).rejects.toThrow('reads other rows')
    const older = {
      columns: { Firm: 'name' },
      match: null,
      reading: { encoding: 'utf-8', delimiter: ';', noHeader: true },
    }
    const { state } = await session(text, undefined, await listing({ rows: 3, settings: older }))
    expect(state.file.rows).toHaveLength(3)
  })

  test.each([
    [{ done: 2 }, true],
    [{ own: false }, true],
    [{ done: 2, created: 0 }, false],
    [{ done: 2, undone: 'all' as const }, false],
    [{ done: 2, same_file: false }, false],
  ])('of a file that was imported already are known as such: %o', async (change, isKnown) => {
    const { state } = await session(text, undefined, await listing(change))
    expect(state.sameFile?.write_id).toBe(isKnown ? 'earlier' : undefined)
  })

  test('are read in the encoding that was chosen last, and before that it is asked', async () => {
    const latin = Buffer.from('Name;City\nCafé Noël;Orléans\n', 'latin1')
    const opened = async (change: Partial<typeof earlier>) => {
      const { service: asked } = await listing({ done: 2, same_file: false, ...change })
      const one = await session(text, undefined, { service: asked as SessionOptions['service'] })
      await one.parse('latin.csv', async () => latin)
      return one
    }
    const chosen = { columns: {}, match: null, reading: { headerRow: 1, encoding: 'windows-1250', delimiter: ';' } }
    const { state } = await opened({ settings: chosen })
    expect(state).toMatchObject({
      stage: 'columns',
      hasLastEncoding: true,
      file: { reading: { encoding: 'windows-1250' } },
    })
    // Before this version the encoding was guessed.
    const guessed = { ...chosen, reading: { noHeader: false, encoding: 'windows-1252', delimiter: ';' } }
    const asking = await opened({ settings: guessed })
    expect(asking.state.stage).toBe('encoding')
    expect(asking.state.candidates[0]).toEqual({ encoding: 'windows-1252', samples: ['Café Noël', 'Orléans'] })
    await asking.readAgain({ encoding: 'windows-1252' })
    expect(asking.state).toMatchObject({ stage: 'columns', hasLastEncoding: false })
  })

  test('are mapped as it is given, and else as it is guessed', async () => {
    const { state } = await session(text, undefined, { given: { columns: { Ref: 'name', Firm: '' }, dates: 'mdy' } })
    const reading = { encoding: 'utf-8', delimiter: ';', headerRow: 1 }
    expect(state.settings).toEqual({ columns: { Ref: 'name' }, match: null, dates: 'mdy', reading })
    expect((await session(text)).state.settings.match).toBe('external_ref')
    expect((await session(text, undefined, { given: { match: null } })).state.settings.match).toBeNull()
  })
})
