import { definitionOf, registry, servedResources } from './resources/index.ts'

/** What a webhook endpoint may be, and what it is told of: the service checks it and the console shows it. */

/** What happens to a record, as the name of its event ends. */
export const eventActions = ['created', 'updated', 'deleted', 'erased', 'restored'] as const

export const eventName = (records: string, action: string): string => `${records}.${action}`

/** All that an endpoint can be told of. */
export const eventNames = servedResources.flatMap(({ name }) => eventActions.map((action) => eventName(name, action)))

/** The kind of record that an event is about. */
export const recordsOfEvent = (event: string): string => event.slice(0, event.lastIndexOf('.'))

/** Those of them that a company with these add-ons is told of, as it could ask for them. */
export const feedEvents = (events: readonly string[], addOns: readonly string[]): string[] =>
  events.filter((event) => {
    const addOn = definitionOf(registry, recordsOfEvent(event))?.served?.addOn
    return addOn !== undefined && addOns.includes(addOn)
  })

/** What is sent by hand, to see whether it arrives. */
export const testEvent = 'webhooks.test'

/** `thin` says what happened to which record; `full` brings the change and the record as well. */
export const payloads = ['thin', 'full'] as const
export type Payload = (typeof payloads)[number]

/**
 * Why nothing is sent to an endpoint any more. `rights`: the account that answers for it was disabled, or may not see all
 * that it tells of.
 */
export type DisableReason = 'by_hand' | 'gone' | 'failing' | 'rights'
/** The detail of `rights` where the account was disabled. Otherwise it is the permission that is missing. */
export const accountDisabled = 'account_disabled'

export const webhookNameLengthMax = 120
/** Endpoints of a company. */
export const webhooksMax = 20
/** Hours for which a secret that was rotated away still signs. */
export const previousSecretHours = 24
