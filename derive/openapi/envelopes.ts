import type { JsonObject } from '#registry/json.ts'
import { idMax, listedIdsMax, offsetMax, pageSizeMax } from '#registry/limits.ts'

export const refTo = (section: string, name: string): JsonObject => ({ $ref: `#/components/${section}/${name}` })

/** An object with exactly these members, all of them there. */
export const exactly = (properties: JsonObject, description?: string): JsonObject => ({
  type: 'object',
  ...(description ? { description } : {}),
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** Parts of the envelopes. Decisions, Replies. */
export function envelopeSchemas(): JsonObject {
  const id = { type: 'integer', minimum: 1, maximum: idMax, description: 'Id of the record.' }
  const group = {
    records: { type: 'string', description: 'Kind of the records.', examples: ['tasks'] },
    count: { type: 'integer', minimum: 1, description: 'How many there are.' },
    ids: {
      type: 'array',
      items: { type: 'integer', minimum: 1 },
      maxItems: listedIdsMax,
      description: `Their ids in ascending order, the first ${listedIdsMax} at most.`,
    },
  }
  const effect = {
    type: 'string',
    enum: ['kept', 'unlinked'],
    description: '`unlinked`: its reference to the deleted record is null now. `kept`: it stays as it is.',
  }
  const mode = {
    type: 'string',
    enum: ['soft', 'hard'],
    description: '`soft`: can be restored in the web interface. `hard`: erased for good.',
  }
  const groups = (item: string, description: string): JsonObject => ({
    type: 'array',
    items: refTo('schemas', item),
    description,
  })
  return {
    Page: exactly(
      {
        total: { type: 'integer', minimum: 0, description: 'How many records match, on all pages together.' },
        limit: { type: 'integer', minimum: 1, maximum: pageSizeMax, description: 'The page size that was used.' },
        offset: { type: 'integer', minimum: 0, maximum: offsetMax, description: 'How many records were skipped.' },
      },
      'Where a page stands in the whole list.',
    ),
    Created: exactly({ id, created: { const: true }, dry_run: { const: false } }, 'The record was created.'),
    CreatePreview: exactly(
      { id: { type: 'null', description: 'There is no record.' }, created: { const: false }, dry_run: { const: true } },
      'Dry-run: the record would be created. Nothing was written.',
    ),
    Updated: exactly(
      {
        id,
        updated: {
          type: 'boolean',
          description: 'Whether the record changed. False in a dry-run, and where nothing differs.',
        },
        dry_run: { type: 'boolean', description: 'Whether this was a dry-run.' },
        changed: {
          type: 'array',
          items: { type: 'string' },
          description: 'The fields that changed, or would; amounts worked out by the service are among them.',
        },
      },
      'What the update did, or would do.',
    ),
    Deleted: exactly(
      {
        id,
        deleted: { const: true },
        dry_run: { const: false },
        mode,
        deleted_with: groups('RecordGroup', 'Records that were deleted along.'),
        kept: groups('KeptGroup', 'Records that referred to it and stay.'),
      },
      'The record was deleted.',
    ),
    DeletePreview: exactly(
      {
        id,
        deleted: { const: false },
        dry_run: { const: true },
        mode,
        would_delete: groups('RecordGroup', 'Records that would be deleted along.'),
        would_keep: groups('KeptGroup', 'Records that refer to it and would stay.'),
      },
      'Dry-run: what deletion would do. Nothing was deleted.',
    ),
    RecordGroup: exactly(group, 'Some records of one kind.'),
    KeptGroup: exactly({ ...group, effect }, 'Some records of one kind, and what becomes of them.'),
  }
}
