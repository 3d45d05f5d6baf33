import { definitionOf, registry, servedResources } from './resources/index.ts'

/** The settings of a webhook endpoint and its events. The service checks them and the console shows them. */

/** The actions on a record, which end the names of events. */
export const eventActions = ['created', 'updated', 'deleted', 'erased', 'restored'] as const

export const eventName = (records: string, action: string): string => `${records}.${action}`

/** All events that an endpoint can subscribe to. */
export const eventNames = servedResources.flatMap(({ name }) => eventActions.map((action) => eventName(name, action)))

/** Returns the resource of an event. */
export const recordsOfEvent = (event: string): string => event.slice(0, event.lastIndexOf('.'))

/** Returns the names of the resources of events, each once. */
export const recordsOfEvents = (events: readonly string[]): string[] => [...new Set(events.map(recordsOfEvent))]

/** Returns the events that a company with these add-ons gets. */
export const feedEvents = (events: readonly string[], addOns: readonly string[]): string[] =>
  events.filter((event) => {
    const addOn = definitionOf(registry, recordsOfEvent(event))?.served?.addOn
    return addOn !== undefined && addOns.includes(addOn)
  })

/** The event of a test that a person sends. */
export const testEvent = 'webhooks.test'

/** `thin` names the record and the action; `full` adds the change and the record. */
export const payloads = ['thin', 'full'] as const
export type Payload = (typeof payloads)[number]

/** Why an endpoint is disabled. `rights`: its account was disabled, or may not see all events of the endpoint. */
export type DisableReason = 'by_hand' | 'gone' | 'failing' | 'rights'
/** The detail of `rights` if the account was disabled. Otherwise the detail is the missing permission. */
export const accountDisabled = 'account_disabled'

export const webhookNameLengthMax = 120
/** Endpoints of a company. */
export const webhooksMax = 20
/** Hours for which the previous secret still signs after a rotation. */
export const previousSecretHours = 24
