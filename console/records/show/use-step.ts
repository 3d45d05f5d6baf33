import { useState } from 'react'
import { useNotify, useRefresh } from 'react-admin'
import type { Definition, Problem } from '#registry/definition.ts'
import { ask, isRefused } from '../../client/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'

/** Takes a record to its next state, or says what is missing for that. */
export function useStep({ name }: Definition) {
  const texts = useTexts()
  const { value } = useRecordTexts()
  const notify = useNotify()
  const refresh = useRefresh()
  const [busy, setBusy] = useState<string>()
  const [missing, setMissing] = useState<readonly Problem[]>([])
  async function take(id: number | string, to: string): Promise<void> {
    setBusy(to)
    try {
      await ask('records.update', { records: name, id, body: { status: to } })
      notify(texts.show.stepDone(value(name, to)), { type: 'success' })
      refresh()
    } catch (error) {
      if (isRefused(error) && error.body.errors?.length) setMissing(error.body.errors)
      else notify(errorText(error, texts), { type: 'error' })
    }
    setBusy(undefined)
  }
  return { take, busy, missing, dismiss: () => setMissing([]) }
}
