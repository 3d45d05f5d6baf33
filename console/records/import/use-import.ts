import { useRefresh } from 'ra-core'
import { useState } from 'react'
import type { ImportResult, LookUpResult } from '#derive/console/responses.ts'
import type { FileOptions } from '#derive/import/file.ts'
import { checkSize } from '#import/read-file.ts'
import { createSession, type SessionService } from '#import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { catalogues } from '#registry/words/index.ts'
import { ask, askOnce, isRefused, previewBatch } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** The session of an import, with its state for the steps of the page. */
export function useImport(definition: Definition) {
  const { currency } = useMe().company
  const { locale } = useTexts()
  const write = useWrite()
  const refresh = useRefresh()
  const isGerman = locale.startsWith('de')
  const [session] = useState(() =>
    createSession({
      definition,
      currency,
      alike: definition.alike ?? [],
      catalogues: isGerman ? catalogues.toReversed() : catalogues,
      service: serviceOf(definition.name, write),
      goesOn: () => true,
      onChange: (next) => setState(next),
    }),
  )
  const [state, setState] = useState(session.state)

  return {
    ...session,
    state,
    open: (file: File) => showFailure(session.parse(file.name, () => readBytes(file))),
    readAgain: (options: FileOptions) => showFailure(session.readAgain(options)),
    look: () => showFailure(session.preview()),
    choose: (choice: Parameters<typeof session.choose>[0]) => showFailure(session.choose(choice)),
    mend: (...cell: Parameters<typeof session.mend>) => showFailure(session.mend(...cell)),
    tryAgain: () => showFailure(session.tryAgain()),
    apply: () => showFailure(session.run()),
    undo: () =>
      showFailure(session.undo(async (id) => (await write('writes.undo', { id })).data.remaining)).then(refresh),
  }
}

export type ImportState = ReturnType<typeof useImport>

/** Waits for a step; if it fails, its error is in the state of the session. */
const showFailure = (step: Promise<void>): Promise<void> => step.catch(() => undefined)

async function readBytes(file: File): Promise<Uint8Array> {
  checkSize(file.size)
  return new Uint8Array(await file.arrayBuffer())
}

/**
 * Returns the operations of an import, as the console asks the service for them. The session works with texts as they
 * are; its steps show them by `Foreign`.
 */
const serviceOf = (records: string, write: ReturnType<typeof useWrite>): SessionService => ({
  list: async (fingerprint) =>
    (await ask('records.imports', { records, query: { fingerprint } })).data as unknown as ImportResult[],
  begin: async (body) => (await write('records.begin-import', { records, body })).data.write_id,
  extend: (id, body) => write('records.extend-import', { records, id, body }),
  lookUp: async (field, values) =>
    (await ask('records.look-up', { records, body: { field, values: [...values] } })).data as unknown as LookUpResult[],
  attempt: async (operations) => {
    const answer = await previewBatch(records, [...operations])
    return answer as unknown as Awaited<ReturnType<SessionService['attempt']>>
  },
  // The key is that of the part and its plan: sent again after a lost answer, it is done once.
  apply(writeId, { from, to, operations, plan }, accepts) {
    const request = { records, id: writeId, body: { from, to, operations }, accepts }
    const given = plan === null ? request : { ...request, plan: { hash: plan } }
    return askOnce('records.import', `import.${writeId}.${from}.${plan}`, given)
  },
  refusalOf: (error) =>
    isRefused(error) ? (error.body as unknown as ReturnType<SessionService['refusalOf']>) : undefined,
})
