import { useEffect, useState } from 'react'
import type { Step } from '#derive/form/steps.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { ask } from '../../client/ask.ts'

/** What the registry proposes for what a step asks for; without what the record refers to where that may not be seen. */
export function useProposal(definition: Definition, record: JsonObject, step: Step): JsonObject {
  const proposal = definition.proposals?.[String(step.to)]
  const field = proposal && definition.fields[proposal.reads]
  const to = field?.kind === 'reference' ? field.to : undefined
  const id = proposal && record[proposal.reads]
  const [found, setFound] = useState<JsonObject>()
  useEffect(() => {
    if (to === undefined || typeof id !== 'number') return
    const aborter = new AbortController()
    ask('records.fetch', { records: to, id, signal: aborter.signal }).then(
      ({ data }) => setFound(data as JsonObject),
      () => undefined,
    )
    return () => aborter.abort()
  }, [to, id])
  return proposal?.of(record, found, todayHere()) ?? {}
}

/** The day where the reader is, as records write it. */
export function todayHere(): string {
  const now = new Date()
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
