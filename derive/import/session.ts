import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { type FileOptions, type ImportFile, readFile } from './file.ts'
import { createImporter, type Importer, type ImportService, type Part, type RowOutcome } from './importer.ts'
import { createRowReader, type ImportSettings } from './rows.ts'
import type { Catalogue } from './targets.ts'

/** An import from the choice of its file to its end: parse, map, preview, run. Pages and command show its state. */

export type Stage = 'file' | 'columns' | 'looking' | 'difference' | 'writing' | 'stopped' | 'done'

export type SessionState = {
  stage: Stage
  /** The file as it was chosen, and as it was read. */
  chosen?: { name: string; bytes: Uint8Array; file: ImportFile } | undefined
  settings?: ImportSettings | undefined
  parts: readonly Part[]
  /** Count of rows that are previewed or settled. */
  done: number
  /** Present once something may have been written. */
  writeId?: string | undefined
  isStopping: boolean
  error?: unknown
}

/** An import that was begun before, as the service lists it. */
export type EarlierImport = { write_id: string; settings: JsonObject; done: number }

export type SessionService<Earlier extends EarlierImport> = ImportService & {
  /** Returns the latest imports of these records, the newest first. */
  list(): Promise<readonly Earlier[]>
  begin(write: { file_name: string; fingerprint: string; settings: ImportSettings; rows: number }): Promise<string>
  /** Writes a part as it was previewed. Returns `changed` if it would do something else by now. */
  apply(writeId: string, part: Part): Promise<'done' | 'changed'>
}

export type SessionOptions<Earlier extends EarlierImport> = {
  definition: Definition
  currency: string
  catalogues: readonly Catalogue[]
  service: SessionService<Earlier>
  /** Gives others their turn while a file is read. */
  breathe(): Promise<void>
  /** Finds the import of this file that goes on. */
  findStopped(latest: readonly Earlier[], file: ImportFile): Earlier | undefined
  /** Returns settings for a file, from those of the last import or those that were chosen for another reading of it. */
  propose(file: ImportFile, last: ImportSettings | undefined): ImportSettings
  /** Asks about rows that would do something else than was shown. */
  confirm(rows: readonly RowOutcome[]): Promise<boolean>
  onChange(state: SessionState): void
}

export type Session = ReturnType<typeof createSession>

const initial: SessionState = { stage: 'file', parts: [], done: 0, isStopping: false }

/** Creates a session without a file. What fails is in its state, and thrown. */
export function createSession<Earlier extends EarlierImport>(options: SessionOptions<Earlier>) {
  const { definition, service, breathe } = options
  let state = initial
  let importer: Importer | undefined
  const set = (change: Partial<SessionState>): void => {
    state = { ...state, ...change }
    options.onChange(state)
  }
  const restart = (): void => {
    state = initial
    set({})
  }
  /** Runs a step. The session is at a stage if it fails. */
  async function step(stage: Stage, run: (chosen: ImportFile, settings: ImportSettings) => Promise<Stage>) {
    const { chosen, settings } = state
    if (!chosen || !settings) throw new Error('no file is chosen')
    const { done } = state
    // A preview settles nothing.
    const left = stage === 'columns' ? { done } : {}
    set({ error: undefined })
    try {
      set({ stage: await run(chosen.file, settings), isStopping: false, ...left })
    } catch (error) {
      set({ stage, error, isStopping: false, ...left })
      throw error
    }
  }

  return {
    get state() {
      return state
    },
    restart,
    decide: (settings: ImportSettings) => set({ settings }),
    back: () => set({ stage: 'columns', parts: [] }),
    stop: () => set({ isStopping: true }),
    fail: (error: unknown) => set({ error }),

    /** Reads a file, or the same in another reading; then the settings are those of its import that goes on. */
    async parse(name: string, bytes: Uint8Array, reading: FileOptions = {}, before?: ImportSettings): Promise<void> {
      restart()
      try {
        let file = await readFile(bytes, reading, breathe)
        const latest = await service.list()
        const earlier = options.findStopped(latest, file)
        const last = (earlier ?? latest[0])?.settings as ImportSettings | undefined
        // One that goes on is read as it was: it has the same rows.
        if (earlier && last) file = await readFile(bytes, last.reading, breathe)
        const settings = earlier && last ? last : options.propose(file, before ?? last)
        set({ stage: 'columns', chosen: { name, bytes, file }, settings, done: earlier?.done ?? 0 })
        if (earlier) set({ writeId: earlier.write_id })
      } catch (error) {
        restart()
        set({ error })
        throw error
      }
    },

    /** Finds out what each row would do that is not settled yet. */
    preview: () =>
      step('columns', async (file, settings) => {
        const read = createRowReader(definition, file, settings, options)
        importer = createImporter({ definition, file, settings, read }, service)
        const parts: Part[] = []
        set({ stage: 'looking' })
        for (let at = state.done; at < file.rows.length; set({ done: at })) {
          if (state.isStopping) return 'columns'
          const part = await importer.part(at)
          parts.push(part)
          at = part.to
        }
        set({ parts })
        return 'difference'
      }),

    /** Writes what was previewed, part by part. A part is written, or nothing of it. */
    run: () =>
      step('stopped', async (file, settings) => {
        const { chosen, parts, done } = state
        set({ stage: 'writing' })
        const { fingerprint, rows } = file
        const named = { file_name: chosen?.name ?? '', fingerprint, settings, rows: rows.length }
        const writeId = state.writeId ?? (await service.begin(named))
        set({ writeId })
        for (let part of parts.filter(({ to }) => to > done)) {
          if (state.isStopping) return 'stopped'
          while ((await service.apply(writeId, part)) === 'changed') {
            const shown = new Set(part.rows.map((row) => JSON.stringify(row)))
            part = await (importer as Importer).part(part.from, part.to)
            const other = part.rows.filter((row) => !shown.has(JSON.stringify(row)))
            if (!(await options.confirm(other.length > 0 ? other : part.rows))) return 'stopped'
          }
          set({ done: part.to })
        }
        return 'done'
      }),
  }
}

export type Counts = { created: number; changed: number; same: number; refused: number }

export function countsOf(rows: readonly RowOutcome[]): Counts {
  const counts = { created: 0, changed: 0, same: 0, refused: 0 }
  for (const { outcome } of rows) counts[outcome] += 1
  return counts
}
