import type { Problem } from '#registry/definition.ts'
import { permission } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { eventNames, type Payload, payloads, recordsOfEvent, webhookNameLengthMax } from '#registry/webhooks.ts'

/** What somebody wants of an endpoint. */
export type WebhookInput = {
  name: string
  url: string
  events: readonly string[] | 'all'
  payload: string
  ordered: boolean
}

export type WebhookSettings = { name: string; url: string; events: string[]; payload: Payload; ordered: boolean }

/** The settings as they are kept, or all that is wrong with them at once. The address is looked at elsewhere. */
export function checkedSettings({ name, url, events, payload, ordered }: WebhookInput): WebhookSettings {
  const wanted = events === 'all' ? eventNames : eventNames.filter((event) => events.includes(event))
  const problems = [
    ...nameProblems(name.trim()),
    ...eventProblems(events),
    ...(payloads.includes(payload as Payload)
      ? []
      : [problem('payload', 'not_allowed', `must be one of ${payloads.join(', ')}`)]),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  return { name: name.trim(), url: url.trim(), events: [...wanted], payload: payload as Payload, ordered }
}

/** Anyone who sends records somewhere could read them there, so he must be allowed to. Undefined: the operator. */
export function needViews(holds: readonly string[] | undefined, events: readonly string[]): void {
  const codes = [...new Set(events.map(recordsOfEvent))].map((records) => permission(records, 'VIEW'))
  const missing = holds && codes.find((code) => !holds.includes(code))
  if (missing === undefined) return
  throw new Refusal('insufficient_scope', {
    detail: `What the webhook tells of needs ${missing}, which you do not hold; only somebody who does can do this.`,
    required_scope: missing,
  })
}

const problem = (field: string, code: Problem['code'], message: string): Problem => ({ field, code, message })

function nameProblems(name: string): Problem[] {
  const length = [...name].length
  if (length >= 1 && length <= webhookNameLengthMax) return []
  return [
    problem('name', length < 1 ? 'too_short' : 'too_long', `must be text of 1 to ${webhookNameLengthMax} characters`),
  ]
}

function eventProblems(events: WebhookInput['events']): Problem[] {
  if (events === 'all') return []
  if (events.length === 0) return [problem('events', 'too_short', 'must have one event at least')]
  const strange = events.find((event) => !eventNames.includes(event))
  if (strange === undefined) return []
  return [problem('events', 'not_allowed', `has ${JSON.stringify(strange)}, which is no event`)]
}
