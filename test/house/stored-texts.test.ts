import { expect, test } from 'vitest'
import { openapi } from '#derive/openapi.ts'
import { dataRoutesOf, isWrite, routes } from '#derive/routes.ts'
import { erasedText, textsWithValues } from '#derive/stored-texts.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'

/**
 * Which members of a stored answer can hold a value of a record is compared with the schemas of all answers that are
 * stored: those of writes. Their texts are of a fixed set, or among the members that an erasure empties.
 */
const document = openapi(routes(registry), { base: 'https://erp.example.com', version: '1' })

/** Texts that are free in the schema and the same whatever the records hold: names of fields and resources, titles of codes. */
const ofTheService = ['title', 'field', 'records', 'fields', 'changed', 'etag', 'as', 'write_id', 'hash', 'type']
/** A plan is answered to a dry-run and to a plan that is no longer true; neither answer is stored. A record that `Prefer` asked for is added to what was stored. */
const notStored = ['plan', 'record']
/** What a batch answers as data of an operation is what the single operation answers. */
const ofOthers = ['data']

const resolved = (reference: string): Json =>
  reference
    .slice(2)
    .split('/')
    .reduce<Json>((part, step) => (part as JsonObject)[step] ?? null, document)

function freeTexts(schema: Json, name: string, found: Map<string, string>, seen: Set<string>): void {
  if (!isObject(schema)) return
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return
    seen.add(schema.$ref)
    freeTexts(resolved(schema.$ref), name, found, seen)
    return
  }
  const types = [schema.type].flat()
  const isFixed = schema.enum !== undefined || schema.const !== undefined || schema.format === 'uuid'
  if (types.includes('string') && !isFixed) found.set(name, JSON.stringify(schema))
  if (types.includes('object') && schema.additionalProperties === true) found.set(name, 'an open object')
  freeTexts(schema.items ?? null, name, found, seen)
  for (const part of ['allOf', 'anyOf', 'oneOf'])
    for (const each of (schema[part] ?? []) as Json[]) freeTexts(each, name, found, seen)
  for (const [member, of] of Object.entries((schema.properties ?? {}) as JsonObject))
    if (!notStored.includes(member)) freeTexts(of, member, found, seen)
}

test('every free text of an answer to a write is emptied, or is the same for everybody', () => {
  const found = new Map<string, string>()
  for (const route of dataRoutesOf(registry).filter(isWrite)) {
    const path = (document.paths as JsonObject)[route.path] as JsonObject
    const { responses } = path[route.method.toLowerCase()] as { responses: JsonObject }
    for (const response of Object.values(responses)) freeTexts(schemaOf(response), '', found, new Set())
  }
  const known: string[] = [...textsWithValues, ...ofTheService, ...ofOthers]
  expect([...found.keys()].filter((name) => !known.includes(name))).toEqual([])
  expect([...found.keys()]).toEqual(expect.arrayContaining(['detail', 'message', 'title', 'changed']))
})

const schemaOf = (response: Json): Json => {
  if (!isObject(response)) return null
  if (typeof response.$ref === 'string') return schemaOf(resolved(response.$ref))
  const [media] = Object.values((response.content ?? {}) as JsonObject)
  return isObject(media) ? (media.schema ?? null) : null
}

test('what stands in the place of a text means itself in JSON and in a regular expression', () => {
  expect(JSON.stringify(erasedText)).toBe(`"${erasedText}"`)
  expect(erasedText).not.toMatch(/[\\^$*+?()[\]{}|]/)
})
