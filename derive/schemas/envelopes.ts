import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { idMax, listedIdsMax, offsetMax, pageSizeDefault, pageSizeMax } from '#registry/limits.ts'
import { registry } from '#registry/resources/index.ts'
import { formatName, schemaName } from '../words.ts'

/** Returns a reference to a component, which is a type unless `section` says otherwise. */
export const refTo = (name: string, section = 'schemas'): JsonObject => ({ $ref: `#/components/${section}/${name}` })

/** Returns an open object of a response. Its members always occur unless they are optional. */
export const answerSchema = (description: string, properties: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: 'object',
  description,
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

export const listSchema = (items: JsonObject, maxItems: number, description: string): JsonObject => ({
  ...{ type: 'array', items, maxItems, description },
})

/** Adds null to a schema of one type, or to a reference. */
export const orNull = (schema: JsonObject, description?: string): JsonObject => ({
  ...('$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : { ...schema, type: [schema.type as Json, 'null'] }),
  ...(description === undefined ? {} : { description }),
})

/** Returns the name of a record's type with chosen fields. */
export const partName = (definition: Definition): string => `${schemaName(definition)}Part`

/** The id of a record. */
export const idSchema: JsonObject = { type: 'integer', format: 'int64', minimum: 1, maximum: idMax }

/**
 * `ProjectPage` and `ProjectEnvelope`, what a list and a fetch answer, and `ProjectCreatedEnvelope` and its like, with the record
 * that `Prefer` asks for. With `fields` in the view, records may lack members. */
export const envelopesOf = (definition: Definition, view: View): JsonObject => {
  const name = schemaName(definition)
  const record = refTo(view === 'all' ? partName(definition) : name)
  return {
    [`${name}Page`]: answerSchema(`A page of ${formatName(definition.name)}.`, {
      data: listSchema(record, pageSizeMax, 'The records of this page.'),
      meta: refTo('PageMeta'),
    }),
    [`${name}Envelope`]: answerSchema(`One ${definition.one}.`, { data: record }),
    ...Object.fromEntries(
      Object.entries(written).map(([what, about]) => [
        `${name}${what}Envelope`,
        envelopeOf(what, about, { record: refTo(name) }),
      ]),
    ),
  }
}

/** The members of a write's response beside the record. */
const written = {
  Created: 'What a create did; in a dry-run, that it would succeed.',
  Updated: 'What an update did, or would do.',
  Upserted: 'What an upsert did, or would do.',
}

/** Returns the schemas of writes' responses, for any record, and of their parts. Decisions, Replies. */
export function envelopeSchemas(definitions: readonly Definition[]): JsonObject {
  return {
    PageMeta: {
      ...answerSchema('Where a page stands in the whole list.', {
        total: integer('int64', 0, idMax, 'How many records match, on all pages together.'),
        limit: integer('int32', 1, pageSizeMax, 'The page size that was used.'),
        offset: integer('int32', 0, offsetMax, 'How many records were skipped.'),
      }),
      examples: [{ total: 1, limit: pageSizeDefault, offset: 0 }],
    },
    Created: answerSchema(written.Created, {
      id: orNull(idSchema, 'Id of the new record. Null in a dry-run.'),
      created: flag('Whether there is a new record. False in a dry-run.'),
      dry_run: dryRun,
    }),
    Updated: answerSchema(written.Updated, {
      id: { ...idSchema, description: 'Id of the record.' },
      updated: flag('Whether the record changed. False in a dry-run, and where nothing differs.'),
      dry_run: dryRun,
      changed: changedFields(fieldsMax(definitions)),
    }),
    Upserted: answerSchema(written.Upserted, {
      id: orNull(idSchema, 'Id of the record. Null in a dry-run that would create one.'),
      created: flag('Whether there is a new record. False in a dry-run.'),
      updated: flag('Whether the record was there and changed. False in a dry-run.'),
      dry_run: dryRun,
      changed: changedFields(fieldsMax(definitions)),
    }),
    Deleted: answerSchema(
      deletedWords,
      {
        id: { ...idSchema, description: 'Id of the record.' },
        deleted: flag('Whether the record is deleted. False in a dry-run.'),
        dry_run: dryRun,
        mode: refTo('DeletionMode'),
      },
      {
        deleted_with: groups('RecordGroup', 'Records that were deleted along. Absent in a dry-run.'),
        kept: groups('KeptGroup', 'Records that referred to it and stay. Absent in a dry-run.'),
        would_delete: groups('RecordGroup', 'Records that would be deleted along. Of a dry-run only.'),
        would_keep: groups('KeptGroup', 'Records that refer to it and would stay. Of a dry-run only.'),
      },
    ),
    DeletedEnvelope: envelopeOf('Deleted', deletedWords),
    ...enumType(
      'DeletionMode',
      ['soft', 'hard'],
      '`soft`: can be restored in the web interface. `hard`: erased for good.',
    ),
    RecordGroup: answerSchema('Some records of one kind.', group),
    KeptGroup: answerSchema('Some records of one kind, and what becomes of them.', {
      ...group,
      effect: refTo('KeptEffect'),
    }),
    ...enumType(
      'KeptEffect',
      ['kept', 'unlinked'],
      '`unlinked`: its reference to the deleted record is null. `kept`: it stays as it is.',
    ),
  }
}

/** Returns the field count of the largest resource. */
export const fieldsMax = (definitions: readonly Definition[]): number =>
  Math.max(1, ...definitions.map(({ fields }) => Object.keys(fields).length))

const changedFields = (maxItems: number): JsonObject =>
  listSchema(
    { type: 'string', maxLength: 63 },
    maxItems,
    'The fields that changed, or would; amounts worked out by the service are among them. Without the VIEW of the resource: the fields sent.',
  )

const deletedWords = 'What a delete did, or would do.'

/** Returns the body with a type as its `data`. */
export const envelopeOf = (type: string, about: string, optional: JsonObject = {}): JsonObject =>
  answerSchema(about, { data: refTo(type) }, { plan: refTo('WritePlan'), ...optional })

export const integer = (
  format: 'int32' | 'int64',
  minimum: number,
  maximum: number,
  description: string,
): JsonObject => ({
  ...{ type: 'integer', format, minimum, maximum, description },
})
export const flag = (description: string): JsonObject => ({ type: 'boolean', description })
export const dryRun = flag('Whether this was a dry-run, which writes nothing.')

const group: JsonObject = {
  records: { type: 'string', maxLength: 63, description: 'Kind of the records.', examples: ['tasks'] },
  count: integer('int64', 1, idMax, 'How many there are.'),
  ids: listSchema(idSchema, listedIdsMax, `Their ids in ascending order, the first ${listedIdsMax} at most.`),
}

/** One group a resource; of those that stay, one for each resource and effect. */
const groupsMax = 2 * registry.length

export const groups = (item: string, description: string): JsonObject => listSchema(refTo(item), groupsMax, description)

export const enumType = (
  name: string,
  words: readonly string[],
  description: string,
): { [name: string]: JsonObject } => ({ [name]: { type: 'string', enum: [...words], description } })

/** Returns a type for the names of some resources. */
export const recordsType = (name: string, definitions: readonly Definition[]): { [name: string]: JsonObject } =>
  enumType(
    name,
    definitions.map(({ name }) => name),
    'The resource.',
  )

/** Returns a discriminator with a single word. */
export const oneWord = (word: string): JsonObject => ({ type: 'string', enum: [word] })

/**
 * The document has two views. `all` is complete. `client` is for generators: it leaves out the parameter `fields`, so
 * that a list and a fetch answer whole records, the samples, which generators pass over, and `webhooks`, which some of them
 * take for calls. Decisions, Document.
 */
export type View = 'all' | 'client'

/** True if the view has the query parameter. */
export const isInView = (view: View, parameter: string): boolean => view === 'all' || parameter !== 'fields'
