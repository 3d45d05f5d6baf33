import { checkValue } from '#derive/check-value.ts'
import { type Problem, problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { permission } from '#registry/permissions.ts'
import { invalidFields } from '#registry/refusals.ts'
import {
  accountDisabled,
  eventNames,
  type Payload,
  payloads,
  recordsOfEvents,
  webhookNameLengthMax,
} from '#registry/webhooks.ts'
import { needAll } from './account-rights.ts'

/** The requested settings of an endpoint. */
export type WebhookInput = {
  name: string
  url: string
  events: readonly string[] | 'all'
  payload: string
  ordered: boolean
}

const nameField: Field = { kind: 'text', max: webhookNameLengthMax, example: 'Warehouse', about: 'Name.' }

/** Returns an address as it is stored, compared, shown and sent to. */
export const canonicalUrl = (text: string): string => URL.parse(text)?.href ?? text.trim()

/** The settings that decide which data is sent to whom: an account that changes one is responsible for the endpoint. */
export const tellingSettings = ['url', 'events', 'payload'] as const

/** Returns the settings to store. Throws all problems at once. The address is checked elsewhere. */
export function checkedSettings({ name, url, events, payload, ordered }: WebhookInput) {
  const wanted = events === 'all' ? eventNames : eventNames.filter((event) => events.includes(event))
  const problems = [
    ...checkValue(nameField, name, 'name').problems,
    ...eventProblems(events),
    ...(payloads.includes(payload as Payload)
      ? []
      : [problem('payload', 'not_allowed', `must be one of ${payloads.join(', ')}`)]),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  return { name: name.trim(), url, events: [...wanted], payload: payload as Payload, ordered }
}

/** Throws if the author may not see the records that are sent. `holds` is undefined for the operator. */
export function needViews(holds: readonly string[] | undefined, events: readonly string[]): void {
  needAll(holds, viewsOf(events), (missing) => `What the webhook tells of needs ${missing}`)
}

/** Returns why an account cannot answer for a webhook: `account_disabled`, a permission, or null if it can. */
export function rightLost(
  { disabled, permissions }: { disabled: boolean; permissions: readonly string[] },
  events: readonly string[],
): string | null {
  if (disabled) return accountDisabled
  return viewsOf(events).find((code) => !permissions.includes(code)) ?? null
}

const viewsOf = (events: readonly string[]): string[] =>
  recordsOfEvents(events).map((records) => permission(records, 'VIEW'))

function eventProblems(events: WebhookInput['events']): Problem[] {
  if (events === 'all') return []
  if (events.length === 0) return [problem('events', 'too_short', 'must have one event at least')]
  const strange = events.find((event) => !eventNames.includes(event))
  if (strange === undefined) return []
  return [problem('events', 'not_allowed', `has ${JSON.stringify(strange)}, which is no event`)]
}
