import type { JsonObject } from '#registry/json.ts'
import { testEvent } from '#registry/webhooks.ts'
import { answerSchema, idSchema, oneWord, refTo } from '../schemas/envelopes.ts'
import { capital } from '../words.ts'

/** The messages to a webhook, as the `webhooks` of the document. Standard Webhooks. */

const messages = {
  change: {
    summary: 'A change, with the record',
    about: 'Sent for each change that the webhook is told of, where its messages are full.',
  },
  thinChange: {
    summary: 'A change, without the record',
    about: 'Sent for each change that the webhook is told of, where its messages are thin.',
  },
  test: {
    summary: 'A test',
    about: 'Sent by hand, to see whether messages arrive. Nothing has changed.',
  },
}

export const webhooks = (): JsonObject =>
  Object.fromEntries(Object.entries(messages).map(([name, message]) => [name, { post: operationOf(name, message) }]))

const section = 'Changes'

const operationOf = (name: string, { summary, about }: { summary: string; about: string }): JsonObject => ({
  operationId: `webhooks.${name}`,
  tags: [section],
  summary,
  description: `${about} Check the signature before anything else, and answer within the time limit.`,
  security: [],
  parameters: Object.keys(headers).map((header) => refTo(header, 'parameters')),
  requestBody: {
    description: 'The message. Its bytes are what is signed.',
    required: true,
    content: { 'application/json': { schema: refTo(`Webhook${capital(name)}`) } },
  },
  responses,
})

const headers: { [component: string]: JsonObject } = {
  WebhookId: header(
    'webhook-id',
    'Names the event, the same in each attempt: what you have had already is a repetition.',
    {
      maxLength: 200,
    },
  ),
  WebhookTimestamp: header('webhook-timestamp', 'When it was sent, in seconds since 1970.', { pattern: '^[0-9]+$' }),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures with blanks between, one for each secret that is valid: `v1,` and the HMAC-SHA256 in base64.',
    { maxLength: 1000 },
  ),
}

/** The headers of a message, by the names of their components. */
export const webhookParameters: JsonObject = headers

function header(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'header', required: true, description, schema: { type: 'string', ...schema } }
}

const wait = { 'Retry-After': refTo('RetryAfter', 'headers') }
const responses: JsonObject = {
  '2XX': { description: 'The message has arrived.' },
  410: { description: 'Nobody listens here any more: the webhook is disabled.' },
  429: { description: 'Too many at once. The message comes again after `Retry-After`.', headers: wait },
  503: { description: 'Not now. The message comes again after `Retry-After`.', headers: wait },
}

const message = (type: JsonObject, data: string, about: string): JsonObject =>
  answerSchema(about, {
    type,
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: refTo(data),
  })

const eventType: JsonObject = { type: 'string', maxLength: 80, description: 'The event, as in `data`.' }

export const webhookSchemas: JsonObject = {
  WebhookChange: message(eventType, 'Change', 'A change that is told.'),
  WebhookThinChange: message(eventType, 'ThinChange', 'A change that is told in short.'),
  WebhookTest: message(oneWord(testEvent), 'WebhookTestData', 'A test message.'),
  WebhookTestData: answerSchema('What a test message says.', {
    webhook_id: { ...idSchema, description: 'The webhook.' },
    message: { type: 'string', maxLength: 200, description: 'For people.' },
  }),
}
