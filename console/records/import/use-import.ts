import { useMemo, useState } from 'react'
import type { ImportResult } from '#derive/console/responses.ts'
import type { FileOptions, ImportFile } from '#derive/import/file.ts'
import { guessHabits } from '#derive/import/habits.ts'
import type { RowOutcome } from '#derive/import/importer.ts'
import { createSession, type SessionService, type SessionState } from '#derive/import/session.ts'
import { type Catalogue, guess, withheldColumns } from '#derive/import/targets.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { ask, askOnce, isRefused } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import * as german from '../../texts/de/records.ts'
import * as english from '../../texts/en/records.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Rows that would do something else by now than was shown; `answer` takes the decision about them. */
type ChangedRows = { rows: readonly RowOutcome[]; answer(goesOn: boolean): void }

/** The session of an import, with its state for the steps of the page. */
export function useImport(definition: Definition) {
  const { currency } = useMe().company
  const { locale } = useTexts()
  const write = useWrite()
  const [changed, setChanged] = useState<ChangedRows>()
  const [state, setState] = useState<SessionState>()
  const isGerman = locale.startsWith('de')
  const catalogues: readonly Catalogue[] = useMemo(() => (isGerman ? [german, english] : [english, german]), [isGerman])
  const [session] = useState(() =>
    createSession({
      definition,
      currency,
      catalogues,
      service: serviceOf(definition.name, write),
      breathe,
      findStopped: (latest, file) => latest.find((one) => isStopped(one, file)),
      propose: (file, last) => {
        const columns = guess(definition, file.columns, catalogues, last?.columns)
        const usual = { dates: 'dmy', decimal: isGerman ? 'comma' : 'point' } as const
        const match = last?.match ?? 'external_ref'
        const isThere = Object.values(columns).includes(match)
        const habits = guessHabits(definition, file, columns, usual)
        return { columns, match: isThere ? match : null, ...habits, reading: file.reading }
      },
      confirm: (rows) =>
        new Promise((resolve) =>
          setChanged({
            rows,
            answer(goesOn) {
              setChanged(undefined)
              resolve(goesOn)
            },
          }),
        ),
      onChange: setState,
    }),
  )
  const now = state ?? session.state
  const columns = now.chosen?.file.columns
  const withheld = useMemo(() => {
    const whole = definitionOf(registry, definition.name)
    return whole && columns ? withheldColumns(whole, definition, columns, catalogues) : []
  }, [definition, columns, catalogues])

  return {
    ...now,
    ...{ changed, withheld, catalogue: catalogues[0] as Catalogue },
    choose: (name: string, bytes: Uint8Array) => showFailure(session.parse(name, bytes)),
    readAgain: (options: FileOptions) =>
      now.chosen && showFailure(session.parse(now.chosen.name, now.chosen.bytes, options, now.settings)),
    decide: session.decide,
    look: () => showFailure(session.preview()),
    apply: () => showFailure(session.run()),
    stop: session.stop,
    back: session.back,
    restart: session.restart,
    fail: session.fail,
    forgive: () => session.fail(undefined),
  }
}

export type ImportState = ReturnType<typeof useImport>

/** Waits for a step; if it fails, its error is in the state of the session. */
const showFailure = (step: Promise<void>): Promise<void> => step.catch(() => undefined)

/** Whether it is an import of the same file by this account, half done. */
const isStopped = ({ fingerprint, own, undone, done, rows }: ImportResult, file: ImportFile): boolean =>
  own && undone === 'nothing' && done < rows && fingerprint === file.fingerprint

/** Keeps the page alive while a file is read. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** Returns the operations of an import, as the console asks the service for them. */
const serviceOf = (records: string, write: ReturnType<typeof useWrite>): SessionService<ImportResult> => ({
  list: async () => (await ask('records.imports', { records })).data,
  begin: async (body) => (await write('records.begin-import', { records, body })).data.write_id,
  async lookUp(field, values) {
    return (await ask('records.look-up', { records, body: { field, values: [...values] } })).data
  },
  async attempt(operations) {
    try {
      const { data, plan } = await ask('records.try-import', { records, body: { operations: [...operations] } })
      if (!plan) throw new Error('a try has no plan')
      return { changed: data.operations.map(({ data: { changed } }) => changed ?? null), plan }
    } catch (error) {
      if (isRefused(error, 'batch_refused')) return { refused: error.body.refused ?? [] }
      throw error
    }
  },
  // The key is that of the part and its plan: sent again after a lost answer, it is done once.
  async apply(writeId, { from, to, operations, plan }) {
    const request = { records, id: writeId, body: { from, to, operations } }
    const given = plan === null ? request : { ...request, plan: { hash: plan } }
    try {
      await askOnce('records.import', `import.${writeId}.${from}.${plan}`, given)
      return 'done'
    } catch (error) {
      if (isRefused(error, 'plan_changed') || isRefused(error, 'batch_refused')) return 'changed'
      throw error
    }
  },
})
