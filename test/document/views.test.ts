import { describe, expect, test } from 'vitest'
import { webhookParameters } from '#derive/openapi/webhooks.ts'
import { schemaName } from '#derive/words.ts'
import { servedResources } from '#registry/resources/index.ts'
import { operationsOf, type Part, resolved, wholeDocumentOf } from './openapi-reader.ts'
import { served } from './registries.ts'

/** The document is there twice: complete, and for generators. */

const sizeOf = (document: Part): number => Buffer.byteLength(JSON.stringify(document)) / 1024

/** The complete document without all that generators are spared. */
function withoutFields(document: Part): Part {
  const copy = structuredClone(document)
  const { schemas, parameters } = copy.components
  // The types of the messages stay.
  delete copy.webhooks
  for (const name of Object.keys(webhookParameters)) delete parameters[name]
  for (const { operation } of operationsOf(copy)) {
    delete operation['x-codeSamples']
    const left = operation.parameters?.filter((part: Part) => resolved(document, part).name !== 'fields')
    if (left) operation.parameters = left
    if (left?.length === 0) delete operation.parameters
  }
  for (const [name, { name: sent }] of Object.entries<Part>(parameters)) if (sent === 'fields') delete parameters[name]
  for (const definition of servedResources) {
    const name = schemaName(definition)
    const { required, description: _, ...rest } = schemas[name]
    // One describes the members, the other says that all of them come.
    expect(Object.keys(rest.properties)).toEqual(Object.keys(schemas[`${name}Part`].properties))
    schemas[name] = {
      ...schemas[`${name}Part`],
      ...('x-go-name' in rest ? { 'x-go-name': rest['x-go-name'] } : {}),
      required,
    }
    delete schemas[`${name}Part`]
    delete schemas[`${name}Field`]
  }
  const text = JSON.stringify(copy)
  return JSON.parse(
    servedResources.reduce((text, each) => text.replaceAll(`/${schemaName(each)}Part"`, `/${schemaName(each)}"`), text),
  )
}

/** Their words differ where they say which members come. */
function withoutWords(document: Part): Part {
  const copy = structuredClone(document)
  for (const definition of servedResources) delete copy.components.schemas[schemaName(definition)].description
  return copy
}

describe('The complete document and the one for generators', () => {
  const [all, client] = [wholeDocumentOf(served), wholeDocumentOf(served, 'client')]

  test('differ in the parameter `fields`, what follows from it, samples and `webhooks`, and in nothing else', () => {
    expect(withoutWords(withoutFields(all))).toEqual(withoutWords(client))
    expect(all).not.toEqual(client)
    expect(JSON.stringify(client.components.schemas)).not.toMatch(/Part"/)
  })

  test('are less than 520 and 410 KiB of compact JSON', () => {
    expect(sizeOf(all)).toBeLessThan(520)
    expect(sizeOf(client)).toBeLessThan(410)
  })
})
