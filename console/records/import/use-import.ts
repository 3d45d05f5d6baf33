import { useMemo, useRef, useState } from 'react'
import type { ImportShown } from '#derive/console/answers.ts'
import { type FileOptions, type ImportFile, readFile } from '#derive/import/file.ts'
import { guessHabits } from '#derive/import/habits.ts'
import { type Importer, makeImporter, type Part, type RowOutcome } from '#derive/import/importer.ts'
import { type ImportSettings, makeRowReader } from '#derive/import/rows.ts'
import { applyAll, previewAll } from '#derive/import/run.ts'
import { type Catalogue, guess, withheldColumns } from '#derive/import/targets.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { ask } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import * as german from '../../texts/de/records.ts'
import * as english from '../../texts/en/records.ts'
import { useTexts } from '../../texts/texts.tsx'
import { applyPart, serviceOf } from './import-service.ts'

export type Stage = 'file' | 'columns' | 'looking' | 'difference' | 'writing' | 'stopped' | 'done'

/** A file as it was chosen, and as it was read. */
export type Chosen = { name: string; bytes: Uint8Array; file: ImportFile }

type State = {
  stage: Stage
  chosen?: Chosen
  settings?: ImportSettings
  parts: readonly Part[]
  /** So many rows are looked at, or settled. */
  done: number
  writeId?: string
  /** What rows would do by now; `answer` says whether they do so. */
  changed?: { rows: readonly RowOutcome[]; answer(goesOn: boolean): void }
  error?: unknown
}

const nothing: State = { stage: 'file', parts: [], done: 0 }

/** An import from the choice of its file to its end, step by step. */
export function useImport(definition: Definition) {
  const { company } = useMe()
  const { locale } = useTexts()
  const write = useWrite()
  const [state, setState] = useState<State>(nothing)
  const [isStopping, setStopping] = useState(false)
  const stop = useRef(false)
  const importer = useRef<Importer>(undefined)
  const records = definition.name
  const catalogues: readonly Catalogue[] = useMemo(
    () => (locale.startsWith('de') ? [german, english] : [english, german]),
    [locale],
  )
  const columns = state.chosen?.file.columns
  const withheld = useMemo(() => {
    const whole = definitionOf(registry, records)
    return whole && columns ? withheldColumns(whole, definition, columns, catalogues) : []
  }, [definition, records, columns, catalogues])
  const change = (given: Partial<State>): void => setState((before) => ({ ...before, ...given }))
  const watch = { isStopped: () => stop.current, tell: (done: number) => change({ done }) }
  const begin = (): void => {
    stop.current = false
    setStopping(false)
  }

  /** A file, or the same in another reading; then the columns that were chosen stay, as far as they are there. */
  async function choose(name: string, bytes: Uint8Array, options: FileOptions = {}, chosenBefore?: ImportSettings) {
    change({ ...nothing, error: undefined })
    try {
      let file = await readFile(bytes, options, breathe)
      const { data: latest } = await ask('records.imports', { records })
      const stopped = latest.find((one) => isStoppedOf(one, file))
      if (stopped) file = await readFile(bytes, (stopped.settings as ImportSettings).reading, breathe)
      const chosen = { name, bytes, file }
      const before = chosenBefore ?? (latest[0]?.settings as ImportSettings | undefined)
      const settings = stopped ? (stopped.settings as ImportSettings) : proposed(file, before)
      setState({
        ...{ stage: 'columns', chosen, settings, parts: [], done: stopped?.done ?? 0 },
        ...(stopped ? { writeId: stopped.write_id } : {}),
      })
    } catch (error) {
      setState({ ...nothing, error })
    }
  }

  function proposed(file: ImportFile, before: ImportSettings | undefined): ImportSettings {
    const columns = guess(definition, file.columns, catalogues, before?.columns)
    const usual = { dates: 'dmy', decimal: locale.startsWith('de') ? 'comma' : 'point' } as const
    const match = before?.match ?? (Object.values(columns).includes('external_ref') ? 'external_ref' : null)
    const isThere = match === null || Object.values(columns).includes(match)
    const habits = guessHabits(definition, file, columns, usual)
    return { columns, match: isThere ? match : null, ...habits, reading: file.reading }
  }

  async function look(): Promise<void> {
    const { chosen, settings, done: from } = state
    if (!chosen || !settings) return
    begin()
    const { file } = chosen
    const read = makeRowReader(definition, file, settings, { currency: company.currency, catalogues })
    const made = makeImporter({ definition, file, settings, read }, serviceOf(records))
    importer.current = made
    const settled = state.writeId === undefined ? 0 : from
    change({ stage: 'looking', done: settled, error: undefined })
    try {
      const parts = await previewAll(made, file.rows.length, watch, settled)
      change(parts ? { stage: 'difference', parts, done: settled } : { stage: 'columns', done: settled })
    } catch (error) {
      change({ stage: 'columns', done: settled, error })
    }
  }

  async function apply(): Promise<void> {
    const { chosen, settings, parts, done } = state
    const made = importer.current
    if (!chosen || !settings || !made) return
    begin()
    change({ stage: 'writing', error: undefined })
    try {
      const writeId = state.writeId ?? (await beginImport(chosen, settings))
      change({ writeId })
      const left = parts.filter(({ to }) => to > done)
      const confirm = (rows: readonly RowOutcome[]) =>
        new Promise<boolean>((resolve) =>
          change({
            changed: {
              rows,
              answer(goesOn) {
                setState(({ changed: _, ...left }) => left)
                resolve(goesOn)
              },
            },
          }),
        )
      const outcome = await applyAll(
        made,
        { parts: left, apply: (part) => applyPart(records, writeId, part), confirm },
        watch,
      )
      change({ stage: outcome })
    } catch (error) {
      change({ stage: 'stopped', error })
    }
  }

  async function beginImport({ name, file }: Chosen, settings: ImportSettings): Promise<string> {
    const body = { file_name: name, fingerprint: file.fingerprint, settings, rows: file.rows.length }
    return (await write('records.begin-import', { records, body })).data.write_id
  }

  return {
    ...state,
    isStopping,
    withheld,
    catalogue: catalogues[0] as Catalogue,
    choose,
    readAgain: (options: FileOptions) =>
      state.chosen && choose(state.chosen.name, state.chosen.bytes, options, state.settings),
    decide: (settings: ImportSettings) => change({ settings }),
    look,
    apply,
    stop: () => {
      stop.current = true
      setStopping(true)
    },
    back: () => change({ stage: 'columns', parts: [] }),
    restart: () => setState(nothing),
    fail: (error: unknown) => change({ error }),
    forgive: () => change({ error: undefined }),
  }
}

export type Importing = ReturnType<typeof useImport>

/** An import of the same file by the one who is here, half done. */
const isStoppedOf = ({ fingerprint, own, undone, done, rows }: ImportShown, file: ImportFile): boolean =>
  own && undone === 'nothing' && done < rows && fingerprint === file.fingerprint

/** The page stays alive while a file is read. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
