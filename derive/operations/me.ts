import type { JsonObject } from '#registry/json.ts'
import { idMax } from '#registry/limits.ts'
import { servedResources } from '#registry/resources/index.ts'
import { isPlanLimited, planLimit, planNames, type SubscriptionPlan } from '#registry/subscription.ts'
import { exampleId } from '../examples.ts'
import { answerSchema, idSchema, integer, listSchema, orNull, refTo } from '../schemas/envelopes.ts'
import { inCollection } from './collection.ts'
import type { DataOperation, OwnOperation } from './operation.ts'
import { readHeaders } from './record.ts'

export const limitedResources = servedResources.map(({ name }) => name).filter(isPlanLimited)

const text = (description: string, maxLength: number): JsonObject => ({ type: 'string', maxLength, description })
const words = (description: string): JsonObject => listSchema({ type: 'string', maxLength: 63 }, 1000, description)

/** Returns the caller and its rights. */
export const me: OwnOperation<DataOperation<'read'>> = (base) => ({
  method: 'GET',
  path: `${base}/me`,
  section: { name: 'Token', about: 'The token that calls, its company and what is open to it.' },
  summary: 'Show who calls',
  description: [
    'Shows the company and the token of the call, the scopes that it has at this moment, the add-ons and the limits. Any active token may ask. It is the cheapest test of credentials, and is counted like any call.',
  ],
  scope: null,
  refusals: ['precondition_failed'],
  answer: {
    description: 'The company, the token and what is open to it.',
    headers: readHeaders,
    schema: 'MeEnvelope',
    examples: {
      me: {
        summary: 'A token with two scopes',
        description: 'The plan limits projects and workers; the service does not limit the rate.',
        value: {
          data: {
            company: { id: 1, name: 'Harbor & Sons', currency: 'EUR', plan: planNames[0] as SubscriptionPlan },
            token: { id: exampleId, label: 'Bookkeeping', expires_at: null },
            account_id: exampleId,
            scopes: ['PROJECTS_VIEW', 'PROJECTS_EDIT'],
            add_ons: ['api'],
            limits: limitedResources.map((records) => ({
              records,
              limit: planLimit(planNames[0] as SubscriptionPlan, records),
              used: 3,
            })),
            rate: null,
          },
        },
      },
    },
  },
  schemas: {
    MeEnvelope: answerSchema('Who calls.', { data: refTo('Me') }),
    Me: answerSchema('Who calls, and what is open to them at this moment.', {
      company: refTo('MeCompany'),
      token: refTo('MeToken'),
      account_id: { ...idSchema, description: 'The account behind the token, whose permissions limit its scopes.' },
      scopes: words('The scopes that the token carries and its account still holds.'),
      add_ons: words('The add-ons of the company.'),
      limits: listSchema(refTo('MeLimit'), limitedResources.length, 'What the plan limits.'),
      rate: orNull(refTo('MeRate'), 'The limit of calls. Null if the service has none.'),
    }),
    MeCompany: answerSchema('The company of the token.', {
      id: { ...idSchema, description: 'Id of the company.' },
      name: text('Name of the company.', 200),
      currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'Currency of all its amounts (ISO 4217).' },
      plan: text('Plan of the company.', 63),
    }),
    MeToken: answerSchema('The token of the call.', {
      id: { ...idSchema, description: 'Id of the token.' },
      label: text('What it is called in Settings.', 200),
      expires_at: orNull(
        { type: 'string', format: 'date-time' },
        'When it ends by itself: 401 from then on. Null if it does not.',
      ),
    }),
    MeLimit: answerSchema('How many live records of a resource the plan holds.', {
      records: text('The resource.', 63),
      limit: orNull(integer('int64', 0, idMax, 'The most. Null if the plan has no limit.')),
      used: integer('int64', 0, idMax, 'How many there are.'),
    }),
    MeRate: answerSchema('How often the token may call.', {
      limit: integer('int32', 1, 2 ** 31 - 1, 'Calls in a window, counted by each process of the service.'),
      window_seconds: integer('int32', 1, 86_400, 'Length of a window.'),
    }),
  },
  collection: inCollection('uses', {
    offers: ['If-None-Match'],
    title: 'The token is good',
    checks: ["pm.expect(data.scopes).to.be.an('array')"],
  }),
})
