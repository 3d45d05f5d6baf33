import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBlankRecord } from '#derive/input.ts'
import { createSession, type SessionService } from '#import/session.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import { type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { catalogues } from '#registry/words/index.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

/** What was exported and is imported again unchanged changes no record. */

let stage: ConsoleStage
let admin: Person & { company: Company }
/** The ids of the records of each resource: one for each of the texts. */
const records: { [resource: string]: number[] } = {}

const lines = ['- one\n- two', "- one\r\n'- two\n\n''=three", '=1+1\n"quoted", and; more\t|', '+49 221\n@all\n-5']
const texts: string[] = [
  'Twin Ltd',
  'Twin Ltd',
  'Twin Ltd (#1)',
  "'=Schein",
  "''=x",
  '=1+1',
  '+49 221',
  '-5',
  '@all',
  '"quoted", and; more | x',
  "O'Neil; -5, =x",
  '＝full width',
  'sep=;',
  'Total',
  '="007"',
  '03/04/2026',
  '1,250',
  'e\u0301clair',
  '\u200bunseen at its ends\u200b',
]

/** Returns the value of a field in the record of a text. */
function fillValue(name: string, field: Field, base: JsonObject, place: number): JsonObject[string] | undefined {
  const text = texts[place] as string
  const reference = referenceOf(field)
  // What a payment settles is issued, which the records of the texts are not.
  if (reference?.settles) return base[name]
  if (reference) return base[name] === null ? null : (records[reference.to]?.[place] ?? base[name])
  const { text: length, members, many } = kindOf(field)
  if (members && !many) {
    const inside = Object.entries(members(field)).map(([member, one]) => [member, fillValue(member, one, {}, place)])
    return Object.fromEntries(inside.filter(([, value]) => value !== undefined))
  }
  if (length === undefined || (field.kind === 'text' && field.max < 30)) return base[name]
  if (length === 'paragraph') return `${lines[place % lines.length]}\n${text}`.trim()
  // The first of the twins has a number, and the second one has none.
  if (field.unique) return place === 1 && !field.required ? undefined : `${text} ${place}`
  return text
}

beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin({ plan: 'ENTERPRISE' })
  const bases = await oneOfEach(admin.company)
  for (const [resource, id] of Object.entries(bases)) {
    const { fields } = definitionOf(registry, resource) as Definition
    const base = await admin.data(`/console/records/${resource}/${id}`)
    records[resource] = []
    for (const place of texts.keys()) {
      const body = Object.entries(fields)
        .filter(([, { readOnly }]) => !readOnly)
        .map(([name, field]) => [name, fillValue(name, field, base, place)] as const)
      const sent = Object.fromEntries(body.filter(([, value]) => value !== undefined && value !== null))
      records[resource]?.push(await admin.company.record(resource, sent as JsonObject))
    }
  }
})
afterAll(() => stage.close())

const service = (resource: string): SessionService => {
  const ask = async (path: string, body: object) => {
    const answer = await admin.ask('POST', `/console/${path}`, body)
    if (answer.status !== 200) throw answer.body
    return answer.body
  }
  return {
    list: () => Promise.resolve([]),
    lookUp: async (field, values) => (await ask(`imports/${resource}/look-up`, { field, values })).data,
    attempt: (operations) => ask(`records/${resource}/batch?dry_run=1`, { operations }),
    refusalOf: (error) => error as ReturnType<SessionService['refusalOf']>,
    begin: () => Promise.reject(new Error('nothing is written')),
    extend: () => Promise.reject(new Error('nothing is written')),
    apply: () => Promise.reject(new Error('nothing is written')),
  }
}

/** Previews the import of a file. */
async function preview(definition: Definition, text: string) {
  const session = createSession({
    definition,
    currency: 'USD',
    catalogues,
    service: service(definition.name),
    goesOn: () => false,
    onChange: () => undefined,
  })
  await session.parse('file.csv', () => Promise.resolve(Buffer.from(text)))
  expect(session.state.problems).toEqual([])
  await session.preview()
  return session.state
}

const styles = ['form=programs', 'form=people&language=en', 'form=people&language=de', 'form=people&delimiter=;']

describe.each(registry)('An export of $name that is imported again leaves every record alone', (definition) => {
  test.each(styles)('%s', async (style) => {
    const path = `/console/records/${definition.name}.csv`
    const { status, text } = await admin.get(`${path}?${style}`)
    expect(status, text).toBe(200)
    const { rows, counts, settings, file } = await preview(definition, text)
    expect(settings.match).toBe('id')
    const different = rows.filter(({ outcome }) => outcome !== 'same')
    // A record that is locked from the beginning refuses a text of other code points, though it looks the same.
    const isLocked = isProtected(definition, createBlankRecord(definition))
    const spelled = isLocked ? texts.filter((text) => text !== text.normalize('NFC').replaceAll('\u200b', '')) : []
    expect(different.flatMap(({ problems }) => problems.map(({ code }) => code))).toEqual(spelled.map(() => 'locked'))
    expect(different).toHaveLength(spelled.length)
    expect(counts.same).toBeGreaterThan(texts.length - spelled.length)
    const writable = file.columns.filter((column) => settings.columns[column] !== undefined)
    expect(writable.length).toBeGreaterThan(1)
  })
})
