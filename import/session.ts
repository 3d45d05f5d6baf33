import type { ImportResult } from '#derive/console/responses.ts'
import type { Encoding, EncodingQuestion, FileFormat, FileOptions, ImportFile } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import { decideHabits, type FileHabits } from '#derive/import/habits.ts'
import {
  createImporter,
  type FirstRow,
  type Importer,
  type ImportService,
  type Outcome,
  type Part,
  type RowOutcome,
} from '#derive/import/importer.ts'
import { type ImportSettings, type SettingsProblem, settingsProblems } from '#derive/import/rows.ts'
import { guess, withheldColumns } from '#derive/import/targets.ts'
import type { Catalogue } from '#derive/labels.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { fingerprintOf, readFile } from './read-file.ts'

/** An import from the choice of its file to its end: parse, map, preview, run. Pages and command show its state. */

export type Stage =
  | 'file'
  | 'reading'
  /** The bytes of the file do not tell its encoding. */
  | 'encoding'
  | 'columns'
  | 'looking'
  | 'difference'
  | 'writing'
  /** A batch would do something else than was shown. `run` writes it so, `decline` stops before it. */
  | 'changed'
  | 'stopped'
  | 'done'
  | 'undoing'
  | 'undone'

export type SessionState = {
  stage: Stage
  /** The file as it was chosen, and as it was read; empty before that. */
  name: string
  bytes: Uint8Array
  file: ImportFile
  fingerprint: string
  /** The possible encodings, the likeliest first. */
  candidates: EncodingQuestion['candidates']
  /** True if the encoding is the one that was chosen last for such a file. */
  hasLastEncoding: boolean
  /** The latest import of this very file that has changed records. */
  sameFile?: ImportResult | undefined
  settings: ImportSettings
  /** How numbers and days of the file are written. */
  habits: FileHabits
  /** The reasons why the settings cannot be used. */
  problems: readonly SettingsProblem[]
  /** Columns that are left out because the account does not see their fields. */
  withheld: readonly string[]
  parts: readonly Part[]
  /** The rows of all parts, and their counts by outcome. */
  rows: readonly RowOutcome[]
  counts: Counts
  /** The counts of rows that were settled before refused ones were tried again. */
  settled: Counts
  /** Count of rows that are previewed or settled. */
  done: number
  /** Present once something may have been written. */
  writeId?: string | undefined
  /** The batch as it would be now, and those of its rows that differ from what was shown. */
  changed?: { part: Part; rows: readonly RowOutcome[] } | undefined
  /** Count of records that an undo has left. */
  remaining: number
  isStopping: boolean
  error?: unknown
}

export type Counts = { readonly [outcome in Outcome]: number }

export type SessionService = ImportService & {
  /** Returns the latest imports of these records, and those of a file, the newest first. */
  list(fingerprint: string): Promise<readonly ImportResult[]>
  begin(write: { file_name: string; fingerprint: string; settings: ImportSettings; rows: number }): Promise<string>
  /** Replaces the settings of an import, and adds rows behind its last one. */
  extend(writeId: string, change: { settings: ImportSettings; rows: number }): Promise<unknown>
  /** Writes a part as it was previewed; `accepts` are the doubts that a person accepts. */
  apply(writeId: string, part: Part, accepts: ImportSettings['accepts']): Promise<unknown>
}

export type SessionOptions = {
  definition: Definition
  currency: string
  catalogues: readonly Catalogue[]
  /** The fields by which doubles are found. */
  alike?: readonly string[]
  service: SessionService
  /** Settings in place of guesses. A path that is empty leaves its column out. Without a match only ids find records. */
  given?: Partial<Omit<ImportSettings, 'reading'>>
  /** Returns whether the import of this file that has stopped goes on. */
  goesOn(stopped: ImportResult | undefined): boolean
  onChange(state: SessionState): void
}

const reading = { encoding: 'utf-8', delimiter: ',', headerRow: 1 } as const
const initial: SessionState = {
  stage: 'file',
  name: '',
  bytes: new Uint8Array(),
  file: { reading, columns: [], rows: [], firstRows: [], leftOut: [], sheets: [] },
  fingerprint: '',
  candidates: [],
  hasLastEncoding: false,
  settings: { columns: {}, match: null, reading },
  habits: { decimal: undefined, dates: undefined, open: {} },
  problems: [],
  withheld: [],
  ...join([]),
  settled: countsOf([]),
  done: 0,
  remaining: 0,
  isStopping: false,
}

/** Creates a session without a file. What fails is in its state, and thrown. */
export function createSession(options: SessionOptions) {
  const { definition, service, catalogues } = options
  let state = initial
  let importer: Importer | undefined
  /** The first row with each unique value. */
  let firsts = new Map<string, FirstRow>()
  /** The settings that are stored with the import. */
  let stored: ImportSettings | undefined
  const set = (change: Partial<SessionState>): void => {
    state = { ...state, ...change }
    options.onChange(state)
  }
  const restart = (): void => {
    state = initial
    set({})
  }
  const decide = (settings: ImportSettings): void => {
    const { currency } = options
    const habits = decideHabits(definition, state.file, settings, currency)
    set({ settings, habits, problems: settingsProblems(definition, state.file, settings, habits) })
  }

  /** Runs a step. The session is at `otherwise` if it fails. */
  async function step(otherwise: Stage, run: () => Promise<Stage>): Promise<void> {
    set({ error: undefined })
    try {
      set({ stage: await run(), isStopping: false })
    } catch (error) {
      set({ stage: otherwise, error, isStopping: false })
      throw error
    }
  }

  /** Reads a file, or the same in another reading; then the settings are those of its import that goes on. */
  async function parse(
    name: string,
    read: () => Promise<Uint8Array>,
    reading: FileOptions = {},
    before?: ImportSettings,
  ): Promise<void> {
    restart()
    await step('file', async () => {
      set({ stage: 'reading' })
      const bytes = await read()
      const fingerprint = fingerprintOf(bytes)
      set({ name, bytes, fingerprint })
      const latest = await service.list(fingerprint)
      const isSame = ({ sheet }: FileOptions, one: ImportResult): boolean =>
        one.same_file && (sheet === undefined || sheet === settingsOf(one)?.reading?.sheet)
      const stopped = latest.find((one) => isUnfinished(one) && isSame(reading, one))
      const earlier = options.goesOn(stopped) ? stopped : undefined
      const last = settingsOf(earlier ?? latest[0])
      // One that goes on is read as it was: it has the same rows.
      const asked = earlier && last ? formatOf(last.reading) : reading
      const lastEncoding = latest.map(chosenEncoding).find((one) => one !== undefined)
      const file = await readFile(bytes, asked, { countNames: (cells) => countNames(cells, last), lastEncoding })
      if ('candidates' in file) {
        set(file)
        return 'encoding'
      }
      if (earlier) file.rows.push(...(last?.again ?? []).flatMap((n) => file.rows[n] ?? []))
      if (earlier && file.rows.length !== earlier.rows) throw new FileProblem('read_otherwise', earlier.write_id)
      const whole = definitionOf(registry, definition.name) ?? definition
      const withheld = withheldColumns(whole, definition, file.columns, catalogues)
      const { encoding } = file.reading
      set({
        file,
        withheld,
        hasLastEncoding: encoding !== undefined && asked.encoding === undefined && encoding === lastEncoding,
        sameFile: earlier ? undefined : latest.find((one) => isSame(file.reading, one) && hasWritten(one)),
        done: earlier?.done ?? 0,
        writeId: earlier?.write_id,
      })
      decide(earlier && last ? { ...last, reading: file.reading } : propose(file, before ?? last))
      stored = earlier && state.settings
      firsts = new Map()
      return 'columns'
    })
  }

  /** Returns how many cells are names of fields. */
  const countNames = (cells: readonly string[], last: ImportSettings | undefined): number =>
    Object.keys(guess(definition, cells, catalogues, { ...last?.columns, ...options.given?.columns })).length

  /** Returns settings for a file, from those of the last import or those that were chosen for another reading of it. */
  function propose(file: ImportFile, last: ImportSettings | undefined): ImportSettings {
    const { columns: named = {}, match: chosen, ...given } = options.given ?? {}
    const taken = Object.values(named)
    const guessed = Object.entries(guess(definition, file.columns, catalogues, last?.columns))
    const columns = Object.fromEntries([
      ...guessed.filter(([column, path]) => !Object.hasOwn(named, column) && !taken.includes(path)),
      ...Object.entries(named).filter(([, path]) => path !== ''),
    ])
    const paths = Object.values(columns)
    const wasKnown = chosen === undefined && Object.values(last?.columns ?? {}).includes('id')
    const usual = last?.match ?? 'external_ref'
    const usualMatch = chosen === undefined && paths.includes(usual) ? usual : null
    // An export has the ids of its records.
    const match = chosen ?? (paths.includes('id') && !wasKnown ? 'id' : usualMatch)
    return { columns, ...given, match, reading: file.reading }
  }

  /** Creates the importer for the present settings. */
  const createCurrent = (): Importer => {
    const { file, settings } = state
    importer = createImporter({ ...options, file, settings }, service, firsts)
    return importer
  }

  /**
   * Writes a part, or returns the part as it would be now if it would do something else than was shown. The batch of a
   * stale part is formed anew first.
   */
  async function apply(writeId: string, shown: Part, isStale: boolean): Promise<SessionState['changed']> {
    const part = isStale ? await createCurrent()(shown.from, shown.to) : shown
    const rows = differing(shown, part)
    if (rows.length > 0) return { part, rows }
    try {
      await service.apply(writeId, part, state.settings.accepts)
      return undefined
    } catch (error) {
      if (!['plan_changed', 'batch_refused', 'doubtful'].includes(service.refusalOf(error)?.code ?? '')) throw error
      const now = await (importer as Importer)(part.from, part.to)
      const other = differing(shown, now)
      return { part: now, rows: other.length > 0 ? other : now.rows }
    }
  }

  /** Finds out what each row would do that is not settled yet. Parts that are known are not looked at again. */
  const preview = (known: readonly Part[] = []): Promise<void> =>
    step('columns', async () => {
      const { file, done } = state
      const look = createCurrent()
      const parts: Part[] = []
      set({ stage: 'looking' })
      try {
        for (let at = done; at < file.rows.length; set({ done: at })) {
          if (state.isStopping) return 'columns'
          const part = known.find(({ from }) => from === at) ?? (await look(at))
          parts.push(part)
          at = part.to
        }
      } finally {
        // A preview settles nothing.
        set({ done })
      }
      set(join(parts))
      return 'difference'
    })

  return {
    get state() {
      return state
    },
    restart,
    parse,
    readAgain: (reading: FileOptions) => {
      const { name, bytes, settings } = state
      const columns = Object.keys(settings.columns).length > 0 ? settings : undefined
      return parse(name, () => Promise.resolve(bytes), reading, columns)
    },
    decide,
    back: () => set({ stage: 'columns', ...join([]) }),
    stop: () => set({ isStopping: true }),
    decline: () => set({ stage: 'stopped', changed: undefined }),
    forgive: () => set({ error: undefined }),

    preview: () => preview(),

    /** Decides about words, doubts or cells that do not fit, and looks again at the parts that have such. */
    choose: (choice: Pick<ImportSettings, 'accepts' | 'unfit' | 'words'>) => {
      set({ settings: { ...state.settings, ...choice } })
      return preview(state.parts.filter(isPlain))
    },

    /** Writes a text into a cell of a row, and looks at this row again. */
    mend: (n: number, column: string, text: string) =>
      step('difference', async () => {
        const { settings } = state
        const cells = { ...settings.mended?.[n], [column]: text }
        const replace = (change: (part: Part) => Partial<Part>) =>
          set(join(state.parts.map((part) => (part.from <= n && n < part.to ? { ...part, ...change(part) } : part))))
        set({ settings: { ...settings, mended: { ...settings.mended, [n]: cells } } })
        replace(() => ({ isStale: true }))
        const { rows } = await createCurrent()(n, n + 1)
        if (state.stage === 'difference')
          replace((part) => ({ rows: part.rows.map((row) => rows.find((now) => now.n === row.n) ?? row) }))
        return state.stage
      }),

    /** Looks at the refused rows of an import that is done once more, behind its last row. */
    tryAgain: () => {
      const { file, settings, rows, counts, settled } = state
      const refused = rows.filter(({ outcome }) => outcome === 'refused')
      const { again = [] } = settings
      const inFile = file.rows.length - again.length
      const mended = refused.flatMap(({ n }, place) => {
        const cells = settings.mended?.[n]
        return cells ? [[file.rows.length + place, cells] as const] : []
      })
      set({
        file: { ...file, rows: [...file.rows, ...refused.flatMap(({ n }) => file.rows[n] ?? [])] },
        settings: {
          ...settings,
          again: [...again, ...refused.map(({ n }) => again[n - inFile] ?? n)],
          mended: Object.fromEntries(mended),
        },
        settled: {
          created: settled.created + counts.created,
          changed: settled.changed + counts.changed,
          same: settled.same + counts.same,
          refused: 0,
        },
      })
      // Values of refused rows are free again, those of written ones are not.
      firsts = new Map([...firsts].filter(([, { n }]) => !refused.some((row) => row.n === n)))
      return preview()
    },

    /** Writes what was shown, part by part. A part is written, or nothing of it. */
    run: () =>
      step('stopped', async () => {
        const { name, file, fingerprint, settings, changed, done } = state
        const parts = state.parts.map((part) => (part.from === changed?.part.from ? changed.part : part))
        set({ stage: 'writing', changed: undefined, ...join(parts) })
        const rows = file.rows.length
        const writeId = state.writeId ?? (await service.begin({ file_name: name, fingerprint, settings, rows }))
        if (state.writeId !== undefined && settings !== stored) await service.extend(writeId, { settings, rows })
        stored = settings
        set({ writeId, sameFile: undefined })
        // The first part with new words creates them, and the later ones find them.
        const creating = parts.find(({ hasNewWords }) => hasNewWords)
        for (const part of parts.filter(({ to }) => to > done)) {
          if (state.isStopping) return 'stopped'
          const now = await apply(writeId, part, part.isStale || (part.hasNewWords && part !== creating))
          if (now && state.isStopping) return 'stopped'
          set(now ? { changed: now } : { done: part.to })
          if (now) return 'changed'
        }
        return 'done'
      }),

    /** Takes back what was written, part by part. `undoPart` returns the count of records that are left. */
    undo: (undoPart: (writeId: string) => Promise<number>) =>
      step(state.stage, async () => {
        set({ stage: 'undoing' })
        for (let left = 1; left > 0; set({ remaining: left })) left = await undoPart(state.writeId as string)
        return 'undone'
      }),
  }
}

export type Session = ReturnType<typeof createSession>

const settingsOf = (one: ImportResult | undefined): ImportSettings | undefined =>
  one?.settings as ImportSettings | undefined

/** The format of an import; up to 0.2.0 it told only whether there is a header. */
type StoredFormat = FileOptions & { noHeader?: boolean }

const formatOf = ({ noHeader, ...format }: StoredFormat = {}): FileOptions => ({
  ...format,
  headerRow: noHeader ? 0 : format.headerRow,
})

/** Returns the encoding of an import that a person has chosen. Up to 0.2.0 it was guessed. */
function chosenEncoding(one: ImportResult): Encoding | undefined {
  const { encoding, headerRow }: Partial<FileFormat> = settingsOf(one)?.reading ?? {}
  return headerRow === undefined || encoding?.startsWith('utf-') ? undefined : encoding
}

/** Returns whether records are as an import has written them. */
const hasWritten = ({ created, changed, undone }: ImportResult): boolean => created + changed > 0 && undone !== 'all'

/** Returns whether this account can go on with an import. */
export const isUnfinished = ({
  own,
  undone,
  done,
  rows,
}: Pick<ImportResult, 'own' | 'undone' | 'done' | 'rows'>): boolean => own && undone === 'nothing' && done < rows

/** Returns whether nothing about the rows of a part is left to decide. */
const isPlain = ({ rows }: Part): boolean =>
  rows.every(
    ({ problems, emptied, accepted, names }) =>
      problems.length + emptied.length + accepted.length === 0 && names.every((one) => !one.isNew),
  )

/** Returns the rows of a part that would do something else than was shown. */
function differing(shown: Part, now: Part): RowOutcome[] {
  const effects = new Set(shown.rows.map(effectOf))
  return now.rows.filter((row) => !effects.has(effectOf(row)))
}

/** The effect of a row as it is shown: a new word by its name, before it has an id and after. */
const effectOf = ({ body: _, ...row }: RowOutcome): string => JSON.stringify(row)

/** Returns parts with their rows, and the rows' counts. */
function join(parts: readonly Part[]): Pick<SessionState, 'parts' | 'rows' | 'counts'> {
  const rows = parts.flatMap((part) => part.rows)
  return { parts, rows, counts: countsOf(rows) }
}

export function countsOf(rows: readonly RowOutcome[]): Counts {
  const counts = { created: 0, changed: 0, same: 0, refused: 0 }
  for (const { outcome } of rows) counts[outcome] += 1
  return counts
}
