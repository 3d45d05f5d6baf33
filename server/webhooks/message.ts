import type { Payload } from '#registry/webhooks.ts'
import type { Position } from '#sql/system/log.ts'
import type { Change } from '../service/changes.ts'
import type { Event } from './log.ts'

/** A message by Standard Webhooks. `after` is the position before its event in the log; null for a test. */
export type WebhookMessage = { id: string; type: string; body: string; after: Position | null; payload: Payload | null }

export const eventToSend = ({ change, before }: Event, payload: Payload): WebhookMessage => ({
  id: change.id,
  type: change.event,
  body: formatBody(change, payload),
  after: before,
  payload,
})

export const formatBody = (change: Change, payload: Payload): string =>
  JSON.stringify({
    type: change.event,
    timestamp: change.at,
    data: payload === 'full' ? change : createThinChange(change),
  })

/** Returns a change without the record and the changed values: the receiver reads these from the API. */
const createThinChange = ({ changes: _, record: __, ...rest }: Change) => rest

/** Returns the headers of a message without its signatures. `timestamp` is in seconds. */
export const requestHeaders = (id: string, timestamp: number) => ({
  'content-type': 'application/json',
  'user-agent': 'Plumbline',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
})
