import { useState } from 'react'
import { useNotify, useRefresh } from 'react-admin'
import { isRefused, isUnauthorized } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { inputId } from '../fields/input.ts'
import type { RecordForm } from './use-record-form.ts'

type Options = {
  form: RecordForm
  /** Null for a new record. */
  id: number | string | null
  etag?: string | null
  onSaved(id: number): void
  /** Called if somebody else has saved first. */
  onRace?(): void
}

/** Returns the function that sends a form and shows each refusal at its field. */
export function useSave({ form, id, etag, onSaved, onRace }: Options) {
  const [isBusy, setBusy] = useState(false)
  const [hasEnded, setEnded] = useState(false)
  const notify = useNotify()
  const refresh = useRefresh()
  const texts = useTexts()
  const write = useWrite()

  async function save(): Promise<void> {
    if (isBusy) return
    const problems = form.checkAll()
    if (problems.length > 0) return focusOn(problems[0]?.field)
    if (id !== null && Object.keys(form.changes).length === 0) {
      notify(texts.form.unchanged, { type: 'info' })
      return onSaved(Number(id))
    }
    setBusy(true)
    try {
      const saved = await send()
      refresh()
      onSaved(saved)
    } catch (error) {
      if (isUnauthorized(error)) setEnded(true)
      else if (isRefused(error, 'precondition_failed') || (id !== null && isRefused(error, 'idempotency_key_reuse')))
        onRace?.()
      else if (isRefused(error) && error.body.errors?.length) {
        form.refuse(error.body.errors)
        focusOn(error.body.errors[0]?.field)
      } else notify(errorText(error, texts), { type: 'error' })
    } finally {
      setBusy(false)
    }
  }

  async function send(): Promise<number> {
    const records = form.definition.name
    if (id !== null) return (await write('records.update', { records, id, body: form.changes, etag })).data.id
    const { data } = await write('records.create', { records, body: form.changes })
    return data.id as number
  }

  return { save, isBusy, hasEnded, resume: () => setEnded(false) }
}

/** Focuses a field, after the problems are rendered. */
const focusOn = (path: string | undefined): void =>
  void setTimeout(() => {
    const found = path === undefined ? null : document.getElementById(inputId(path))
    found?.focus()
    found?.scrollIntoView({ block: 'center' })
  }, 0)
