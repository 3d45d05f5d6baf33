import { useRefresh } from 'ra-core'
import { useRef, useState } from 'react'
import type { Step } from '#derive/form/steps.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import { isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import type { Doubt } from '#registry/refusals.ts'
import { ask, isRefused } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import type { ListedRecord } from '../list/records.tsx'
import type { Sending } from '../paper/use-sending.tsx'

/** The outcome of a step. */
export type Outcome =
  | { is: 'done'; writeId: string | null }
  /** The record differs by now from the shown one. Nothing was done. */
  | { is: 'changed'; stored: JsonObject }
  | { is: 'missing'; problems: readonly Problem[] }
  /** The step is taken if these doubts are accepted. */
  | { is: 'doubtful'; doubts: readonly Doubt[] }
  | { is: 'failed'; error: unknown }

/** Further fields of a step, the codes of doubts to accept, and how its paper is sent, if the step notes that. */
type StepOptions = { more?: JsonObject; accepts?: readonly string[]; sending?: Sending | undefined }

/**
 * Returns the function that takes a record to its next state, if it is still as it was shown. The stored record is
 * compared with the shown one, and the step is sent with the ETag of the compared version.
 */
export function useStep({ name }: Definition) {
  const write = useWrite()
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  /** The ETags of steps whose answer was lost, so that they are sent again unchanged. */
  const unanswered = useRef(new Map<string, string | null>())

  async function take(
    shown: ListedRecord,
    { field, to }: Step,
    { more = {}, accepts = [], sending }: StepOptions = {},
  ): Promise<Outcome> {
    const body = { ...more, [field]: to }
    const what = `${shown.id} ${JSON.stringify([body, sending])}`
    const tried = unanswered.current.get(what)
    const stored = tried === undefined ? await ask('records.fetch', { records: name, id: shown.id }) : undefined
    if (stored && !isSame(shown, stored.data)) return { is: 'changed', stored: stored.data }
    const etag = stored ? stored.etag : (tried ?? null)
    unanswered.current.delete(what)
    const record = { records: name, id: shown.id }
    try {
      const { writeId } = sending
        ? await write('records.send-paper', {
            ...record,
            body: { ...sending, ...(etag === null ? {} : { if_match: etag }) },
          })
        : await write('records.update', { ...record, body, etag, accepts })
      return { is: 'done', writeId }
    } catch (error) {
      if (isLost(error)) unanswered.current.set(what, etag)
      throw error
    }
  }

  async function outcomeOf(shown: ListedRecord, error: unknown): Promise<Outcome> {
    if (isRefused(error, 'precondition_failed') || isRefused(error, 'idempotency_key_reuse')) {
      const { data } = await ask('records.fetch', { records: name, id: shown.id })
      return { is: 'changed', stored: data }
    }
    if (isRefused(error, 'doubtful')) return { is: 'doubtful', doubts: error.body.doubts ?? [] }
    return isRefused(error) && error.body.errors?.length
      ? { is: 'missing', problems: error.body.errors }
      : { is: 'failed', error }
  }

  return {
    isBusy,
    async take(shown: ListedRecord, step: Step, options?: StepOptions): Promise<Outcome> {
      setBusy(true)
      try {
        const outcome = await take(shown, step, options).catch((error) => outcomeOf(shown, error))
        if (outcome.is === 'done' || outcome.is === 'changed') refresh()
        return outcome
      } catch (error) {
        return { is: 'failed', error }
      } finally {
        setBusy(false)
      }
    },
  }
}

const isLost = (error: unknown): boolean =>
  isRefused(error, 'unreachable') || isRefused(error, 'outcome_unknown') || isRefused(error, 'idempotency_in_progress')

/** Returns whether every field is as it was shown, including the time of the last change. */
const isSame = (shown: ListedRecord, stored: JsonObject): boolean =>
  Object.entries(stored).every(([name, value]) => isSameJson(shown[name] as Json, value))
