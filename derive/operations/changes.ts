import type { Definition } from '#registry/definition.ts'
import { waitSecondsMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import { servedResources } from '#registry/resources/index.ts'
import { cutParameters, type Parameter } from '../parameters.ts'
import { invalidParameter, quoteText, readCut, readInteger } from '../query.ts'
import { changeExample, changeSchemas } from '../schemas/changes.ts'
import { inCollection } from './collection.ts'
import type { DataOperation, OwnOperation } from './operation.ts'
import { readHeaders, refusalOf } from './record.ts'

/** The resources in the feed. */
const names = servedResources.map(({ name }) => name)

const parameters: readonly Parameter[] = [
  {
    name: 'after',
    about:
      'The cursor `meta.next` of the answer before. `now`: no changes yet, and the cursor of this moment. When not given, from the oldest change that is kept.',
    schema: { type: 'string', maxLength: 200, pattern: '^(now|[A-Za-z0-9_-]+)$' },
    example: 'now',
  },
  {
    name: 'records',
    about: 'The resources to tell of, separated by commas; all that the token may read when not given.',
    schema: { type: 'array', items: { type: 'string', enum: names }, minItems: 1, maxItems: names.length },
    example: names.slice(0, 2),
  },
  ...cutParameters('Changes').filter(({ name }) => name === 'limit'),
  {
    name: 'wait',
    about:
      'Seconds to wait for a change where there is none yet; the answer comes as soon as there is one. Not at all when not given.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: waitSecondsMax },
    example: 20,
  },
]

/** Returns every committed change of the company, in order. Decisions, Changes. */
export const changes: OwnOperation<DataOperation<'read'>> = (base) => ({
  method: 'GET',
  path: `${base}/changes`,
  section: {
    name: 'Changes',
    about: 'What happened to the records of the company, whoever did it and wherever.',
  },
  summary: 'Follow the changes',
  description: [
    'Tells every committed change after a cursor, in the order of the commits: creates, updates, deletions and restores, those of the web interface too. A change is told once it can no longer be overtaken; none is left out.',
    'To copy the company: call with `after=now` and keep `meta.next`; list everything with `after_id`; then follow from the cursor, and drop what is not newer than the `version` that you have. Store the cursor together with the effect of the changes.',
    'Changes are told of the resources whose `_VIEW` scope the token has at that moment, and whose add-on is on; `meta.records` says which. One call is counted, however long it waits.',
    'The `ETag` is of the whole page, `meta.next` included. With `wait` and `If-None-Match` the answer is a 304 only at the end of the wait, if the page is still the one named.',
  ],
  scope: null,
  parameters,
  refusals: ['insufficient_scope', 'cursor_gone', 'precondition_failed'],
  refused: {
    invalid_parameter: () => refusalOf(() => readFollowing(new Map([['wait', '0']]))),
    insufficient_scope: () => new Refusal('insufficient_scope', { required_scope: scopeExample }),
  },
  answer: {
    description: 'Up to a page of changes, and where to go on.',
    headers: readHeaders,
    schema: 'ChangesPage',
    showsRecords: true,
    examples: {
      a_change: {
        summary: 'One change',
        description: 'There is no more at the moment; the next call goes on from `next`, perhaps with `wait`.',
        value: {
          data: [changeExample(servedResources[0] as Definition)],
          meta: { next: 'MS4yOTM3NzYuOTAyMTAuWTJGc2JHSmhZMnM', more: false, records: names },
        },
      },
    },
  },
  schemas: changeSchemas(servedResources),
  collection: inCollection('uses', {
    title: 'The changes come with a cursor',
    checks: ["pm.expect(data).to.be.an('array')", "pm.expect(pm.response.json().meta.next).to.be.a('string')"],
  }),
})

const scopeExample = `${names[0]?.toUpperCase()}_VIEW`

export type ChangesRequest = {
  /** A cursor, `now`, or null for the oldest change that is kept. */
  after: string | null
  /** Null for all resources that the token may read. */
  records: string[] | null
  limit: number
  waitSeconds: number
}

export function readFollowing(query: ReadonlyMap<string, string>): ChangesRequest {
  const after = query.get('after') ?? null
  const records = query.get('records')?.split(',') ?? null
  const wrong = records?.find((name) => !names.includes(name))
  if (wrong !== undefined)
    throw invalidParameter('records', `names ${quoteText(wrong)}; it can name ${names.join(', ')}`)
  const waitSeconds = readInteger('wait', query.get('wait'), 1, waitSecondsMax) ?? 0
  return { after, records, limit: readCut(query).limit, waitSeconds }
}
