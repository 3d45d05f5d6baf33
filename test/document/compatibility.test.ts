import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changes } from '#registry/changes.ts'
import type { JsonObject } from '#registry/json.ts'
import { addedParameter, additionsOf } from '../../tools/document-additions.ts'
import { difference, type Facts, facts } from '../../tools/document-facts.ts'
import { type Part, wholeDocumentOf } from './openapi-reader.ts'
import { served } from './registries.ts'

/** The document is compared with that of the newest release. docs/compatibility.md says what may change. */

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/api')
const read = (name: string): Part => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const releases = readdirSync(folder)
  .filter((name) => /^\d/.test(name))
  .map((name) => name.replace(/\.json$/, ''))
  .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
/** Under the heading of the newest sentences, until there is a document of that version. */
const [newest = { version: '' }] = changes
const present = releases.includes(newest.version) ? 'Unreleased' : newest.version
const versions = [
  ...releases.map((version) => ({ version, facts: facts(read(`${version}.json`)) })),
  { version: present, facts: facts(wholeDocumentOf(served)) },
]
const [before, now] = versions.slice(-2).map((each) => each.facts) as [Facts, Facts]

/** Something that is breaking by the rules and was decided nevertheless. `lines` are such lines or their beginnings. */
type AllowedDifference = { reason: string; ends?: string; lines: string[] }
const allowed: AllowedDifference[] = read('allowed.json')
const isAllowed = (line: string, { lines, ends = '' }: AllowedDifference): boolean =>
  line.endsWith(ends) && lines.some((beginning) => line.startsWith(beginning))

describe('What the newest release promised', () => {
  const { gone, narrowed } = difference(before, now)
  const broken = [...gone, ...narrowed]

  test('holds, but for what docs/api/allowed.json names with its reason', () => {
    expect(broken.filter((line) => !allowed.some((each) => isAllowed(line, each)))).toEqual([])
  })

  test.each(allowed)('is broken as it is allowed: $reason', ({ reason, ends = '', lines }) => {
    expect(reason).toMatch(/\.$/)
    for (const beginning of lines) {
      expect(broken.filter((line) => isAllowed(line, { reason, ends, lines: [beginning] }))).not.toEqual([])
    }
  })
})

describe('What came', () => {
  const told = changes.find(({ version }) => version === present)?.lines.join(' ') ?? ''
  /** In code marks, a header with its value; `<records>` and its like stand for a word. */
  const names = [...told.matchAll(/`([^`:]+)(?:: [^`]+)?`/g)].map(
    ([, name = '']) => new RegExp(`^${name.replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\$&').replaceAll(/<\w+>/g, '\\w+')}$`),
  )
  const isNamed = (...spellings: string[]): boolean =>
    spellings.some((spelling) => names.some((name) => name.test(spelling)))
  const { added } = difference(before, now)

  test('operations are named by the sentences of registry/changes.ts', () => {
    const operations = added.flatMap((subject) => (subject.startsWith('operation ') ? [subject.slice(10)] : []))
    expect(operations.filter((each) => !isNamed(each, each.slice(each.indexOf(' ') + 1)))).toEqual([])
  })

  test('parameters of older operations are named there, too', () => {
    const parameters = added.flatMap(addedParameter).filter(({ operation }) => before.has(`operation ${operation}`))
    expect(parameters.filter(({ name }) => !isNamed(name))).toEqual([])
  })

  test('is listed under the version with which it came', async () => {
    const pairs = versions
      .slice(1)
      .map(({ version, facts }, at): [string, string[]] => [
        version,
        additionsOf((versions[at] as { facts: Facts }).facts, facts),
      ])
    const list = Object.fromEntries(pairs.filter(([, lines]) => lines.length > 0))
    const text = `/** What came to the API with each version: its document compared with that of the version before. */
export const additions: { readonly [version: string]: readonly string[] } = ${JSON.stringify(list, null, 2)}
`
    await expect(text).toMatchFileSnapshot(join(root, 'registry/additions.gen.ts'))
  })

  test('every version that is listed has its sentences', () => {
    expect(changes.map(({ version }) => version)).toEqual(expect.arrayContaining(releases))
  })
})

describe('Two documents differ', () => {
  const schema = (properties: JsonObject, required: string[] = []): JsonObject => ({
    type: 'object',
    properties,
    required,
  })
  const documentWith = (asked: JsonObject, answered: JsonObject, more: JsonObject = {}): JsonObject => ({
    paths: {
      '/v1/clients': {
        post: {
          requestBody: { content: { 'application/json': { schema: asked } } },
          responses: { 201: { content: { 'application/json': { schema: answered } } } },
          ...more,
        },
      },
    },
    components: { schemas: { ProblemCode: { enum: ['not_found'] }, Id: { type: 'integer' } } },
  })
  const text = { type: 'string' }
  const at = 'POST /v1/clients'
  const whole = schema({ id: text }, ['id'])
  const none = schema({})
  const query = (parameter: JsonObject): JsonObject => ({ parameters: [{ in: 'query', name: 'q', ...parameter }] })

  const rows: [about: string, before: JsonObject, now: JsonObject, gone: string[], narrowed: string[]][] = [
    [
      'in what may be left out of a body',
      documentWith(schema({ name: text }), none),
      documentWith(schema({ name: text }, ['name']), none),
      [],
      [`request ${at} body.name is required now`],
    ],
    [
      'in a member that a body needs besides',
      documentWith(none, none),
      documentWith(schema({ name: text }, ['name']), none),
      [],
      [`request ${at} body.name is needed now`],
    ],
    [
      'in the length of a text that is taken',
      documentWith(schema({ name: { ...text, maxLength: 9 } }), none),
      documentWith(schema({ name: { ...text, maxLength: 8 } }), none),
      [],
      [`request ${at} body.name has maxLength 8 now`],
    ],
    [
      'in whether members are taken that are not described',
      documentWith(none, none),
      documentWith({ ...none, additionalProperties: false }, { ...none, additionalProperties: false }),
      [],
      [`request ${at} body takes no other members now`],
    ],
    [
      'in the words that are taken',
      documentWith(schema({ kind: { enum: ['A', 'B'], ...text } }), none),
      documentWith(schema({ kind: { enum: ['B', 'C'], ...text } }), none),
      [],
      [`request ${at} body.kind is no A any more`],
    ],
    [
      'in whether null is taken',
      documentWith(schema({ name: { type: ['string', 'null'] } }), none),
      documentWith(schema({ name: text }), none),
      [],
      [`request ${at} body.name is no null any more`],
    ],
    [
      'in whether null is answered',
      documentWith(none, schema({ id: { anyOf: [{ $ref: '#/components/schemas/Id' }] } }, ['id'])),
      documentWith(none, schema({ id: { anyOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] } }, ['id'])),
      [],
      [`answer ${at} 201 id may be null now`],
    ],
    [
      'in what always comes',
      documentWith(none, whole),
      documentWith(none, schema({ id: text })),
      [],
      [`answer ${at} 201 id may be absent now`],
    ],
    ['in what is answered at all', documentWith(none, whole), documentWith(none, none), [`answer ${at} 201 id`], []],
    [
      'in a parameter',
      documentWith(none, none, query({ schema: text })),
      documentWith(none, none, query({ schema: { type: 'integer' }, required: true })),
      [],
      [`parameter ${at} query.q is no string any more`, `parameter ${at} query.q is required now`],
    ],
    [
      'in the scope that is needed',
      documentWith(none, none),
      documentWith(none, none, { 'x-required-scope': 'CLIENTS_EDIT' }),
      [],
      [`scope ${at} CLIENTS_EDIT is needed now`],
    ],
    ['in an operation', documentWith(none, none), { ...documentWith(none, none), paths: {} }, goneWith(at), []],
    [
      'in the name of a code',
      documentWith(none, none),
      { ...documentWith(none, none), components: { schemas: { ProblemCode: { enum: ['lost'] } } } },
      ['code not_found'],
      [],
    ],
    [
      'in nothing that anybody relies on',
      documentWith(schema({ name: { ...text, maxLength: 8 } }, ['name']), schema({ id: text })),
      documentWith(
        schema({ name: { ...text, maxLength: 9 }, site: schema({ city: text }, ['city']) }),
        schema({ id: text, at: text }, ['id', 'at']),
      ),
      [],
      [],
    ],
  ]

  function goneWith(operation: string): string[] {
    return [
      `answer ${operation} 201`,
      `operation ${operation}`,
      `request ${operation} application/json`,
      `request ${operation} body`,
    ]
  }

  test.each(rows)('%s', (_about, one, other, gone, narrowed) => {
    expect(difference(facts(one), facts(other))).toMatchObject({ gone, narrowed })
  })
})
