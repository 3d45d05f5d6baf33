import type { Payload } from '#registry/webhooks.ts'
import type { Position } from '#sql/system/log.ts'
import type { Change } from '../service/changes.ts'
import type { Event } from './log.ts'

/** A message by the Standard Webhooks: its type, when the event was, and what it is about. A test has no place in the log. */
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

/** What happened to which record; the rest is asked of the API. */
const createThinChange = ({ changes: _, record: __, ...rest }: Change) => rest

/** The headers of a message without its signatures; the timestamp is in seconds. */
export const requestHeaders = (id: string, timestamp: number) => ({
  'content-type': 'application/json',
  'user-agent': 'Plumbline',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
})
