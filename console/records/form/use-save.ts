import { useState } from 'react'
import { useNotify, useRefresh } from 'react-admin'
import type { JsonObject } from '#registry/json.ts'
import { type Answer, ask, isRefused, isUnauthorized } from '../../door/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useTexts } from '../../texts/texts.tsx'
import { inputId } from '../kinds/input.ts'
import type { RecordForm } from './use-record-form.ts'

export type Saved = { id: number; changed?: string[] }

type Options = {
  form: RecordForm
  /** Null creates. */
  id: number | string | null
  etag?: string | null
  extra?: JsonObject
  onSaved(saved: Saved): void
  /** Somebody else was faster. */
  onRace?(): void
}

/** Sends a form, and brings every refusal to where it belongs. */
export function useSave({ form, id, etag, extra, onSaved, onRace }: Options) {
  const [isBusy, setBusy] = useState(false)
  const [hasEnded, setEnded] = useState(false)
  const notify = useNotify()
  const refresh = useRefresh()
  const texts = useTexts()

  async function save(): Promise<void> {
    if (isBusy) return
    const problems = form.checkAll()
    if (problems.length > 0) return focusOn(problems[0]?.field)
    if (id !== null && Object.keys(form.changes).length === 0) {
      notify(texts.form.unchanged, { type: 'info' })
      return onSaved({ id: Number(id) })
    }
    setBusy(true)
    try {
      const { data }: Answer<Saved> = await send()
      refresh()
      onSaved(data)
    } catch (error) {
      if (isUnauthorized(error)) setEnded(true)
      else if (isRefused(error, 'precondition_failed')) onRace?.()
      else if (isRefused(error) && error.body.errors?.length) {
        form.refuse(error.body.errors)
        focusOn(error.body.errors[0]?.field)
      } else notify(errorText(error, texts), { type: 'error' })
    } finally {
      setBusy(false)
    }
  }

  const send = (): Promise<Answer<Saved>> =>
    id === null
      ? ask('POST', `/records/${form.definition.name}`, { body: { ...form.changes, ...extra } })
      : ask('PATCH', `/records/${form.definition.name}/${id}`, { body: form.changes, etag })

  return { save, isBusy, hasEnded, resume: () => setEnded(false) }
}

/** After the problems are on the page. */
const focusOn = (path: string | undefined): void =>
  void setTimeout(() => {
    const found = path === undefined ? null : document.getElementById(inputId(path))
    found?.focus()
    found?.scrollIntoView({ block: 'center' })
  }, 0)
