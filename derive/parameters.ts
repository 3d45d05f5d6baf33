import { isCompanyField, referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { JsonSchema } from '#registry/json.ts'
import { filterValuesMax, idMax, offsetMax, pageSizeDefault, pageSizeMax, searchLengthMax } from '#registry/limits.ts'
import { valueSchema } from './schema.ts'

/** The query parameters of operations, for the documents. `query.ts` parses them. Decisions, Lists. */
export type Parameter = {
  name: string
  about: string
  schema: JsonSchema
  example: string | number | boolean | readonly (string | number)[]
  /** The field that it filters by. */
  field?: string
}

export const sortableFields = (definition: Definition): string[] =>
  Object.entries(definition.fields)
    .filter(([name, field]) => kindOf(field).sortable && !isCompanyField(name))
    .map(([name]) => name)

/** A parameter that filters a list by a field: one value, several values, or a range from or up to a value. */
export type Filter = { parameter: string; field: string; takes: 'one' | 'several' | 'from' | 'to' }

export function filtersOf(definition: Definition): Filter[] {
  const { fields, filters } = definition
  for (const name of filters) {
    const field = fields[name]
    if (!field || !['one', 'several'].includes(kindOf(field).filter ?? ''))
      throw new Error(`${definition.name} cannot be filtered by ${name}`)
  }
  const several = (field: string): Filter => ({ parameter: `${field}_in`, field, takes: 'several' })
  return Object.entries(fields).flatMap(([field, kind]): Filter[] => {
    const one: Filter = { parameter: field, field, takes: 'one' }
    const { filter } = kindOf(kind)
    if (filter === 'ids') return [several(field)]
    if (field === referenceField) return [one]
    if (filters.includes(field)) return filter === 'several' ? [one, several(field)] : [one]
    return filter === 'range'
      ? [
          { parameter: `${field}_from`, field, takes: 'from' },
          { parameter: `${field}_to`, field, takes: 'to' },
        ]
      : []
  })
}

export function listParameters(definition: Definition): Parameter[] {
  const { search } = definition
  return [
    ...cutParameters('Records'),
    {
      name: 'after_id',
      about:
        'Only records with a higher id, in the order of their ids: the id of the last record of the page before, and 0 to begin the walk: each page links to the next one, and says `first`. Unlike `offset` it passes over nothing when records are deleted meanwhile. Neither `offset` nor `sort` goes with it.',
      schema: { type: 'integer', format: 'int64', minimum: 0, maximum: idMax },
      example: 0,
    },
    ...(search.length > 0
      ? [
          {
            name: 'q',
            about: `Words that must all occur in ${search.join(', ')}; capitals and accents do not count.`,
            schema: { type: 'string', maxLength: searchLengthMax, pattern: '^[^\\x00]*$' },
            example: 'wall',
          },
        ]
      : []),
    ...filtersOf(definition).map((filter) => filterParameter(definition, filter)),
    {
      name: 'sort',
      about:
        'Fields to sort by, "-" before one for descending; by id when not given, and among equals. Of a field that is named twice the first counts.',
      schema: listOf(sortableFields(definition).flatMap((field) => [field, `-${field}`])),
      example: ['-updated_at', definition.title],
    },
    {
      name: 'updated_since',
      about:
        'Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`.',
      schema: { type: 'string', format: 'date-time' },
      example: '2026-01-01T00:00:00Z',
    },
    fieldsParameter(definition),
  ]
}

export const cutParameters = (what: string): Parameter[] => [
  {
    name: 'limit',
    about: `${what} a page, ${pageSizeDefault} when not given; more than ${pageSizeMax} is taken as ${pageSizeMax}, and \`meta.limit\` says so.`,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 2 ** 31 - 1 },
    example: 20,
  },
  {
    name: 'offset',
    about: `${what} to skip, none when not given; past the end the page is empty and the total still true.`,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: offsetMax },
    example: 0,
  },
]

export const fieldsParameter = (definition: Definition): Parameter => ({
  name: 'fields',
  about:
    'The fields wanted, separated by commas: then only these and `id` come, and members that always come otherwise do not.',
  schema: listOf(Object.keys(definition.fields)),
  example: ['id', definition.title],
})

const listOf = (values: readonly string[]): JsonSchema => ({
  type: 'array',
  items: { type: 'string', enum: values },
  minItems: 1,
  maxItems: values.length,
})

function filterParameter(definition: Definition, { parameter, field, takes }: Filter): Parameter {
  const kind = definition.fields[field] as Field
  const schema = valueSchema(kind)
  const example = kindOf(kind).example(kind) as string | number | boolean
  const about = filterWords(definition, field, takes)
  if (takes !== 'several') return { name: parameter, field, about, schema, example }
  const examples = Array.isArray(schema.enum) ? schema.enum.slice(0, 2) : [example as number, (example as number) + 1]
  const list = { type: 'array', items: schema, minItems: 1, maxItems: filterValuesMax }
  return { name: parameter, field, about, schema: list, example: examples }
}

/** Returns the words for what a filter keeps in a list. */
function filterWords({ fields }: Definition, field: string, takes: Filter['takes']): string {
  const kind = kindOf(fields[field] as Field)
  switch (takes) {
    case 'several':
      return `Only records whose \`${field}\` is one of these, separated by commas, ${filterValuesMax} at most${kind.choice ? '' : '; an id of no record is passed over'}.`
    case 'from':
      return `Only records whose \`${field}\` is this day or a later one.`
    case 'to':
      return `Only records whose \`${field}\` is this day or an earlier one.`
    case 'one':
      if (field === referenceField) return `Only the record with this \`${field}\`; capitals do not count.`
      return `Only records with this \`${field}\`${kind.reference ? '; an id of no record gives an empty list' : ''}.`
  }
}

export const dryRunParameter: Parameter = {
  name: 'dry_run',
  about: '`1` or `true`: check everything and write nothing. The header X-Dry-Run says the same.',
  schema: { type: 'string', maxLength: 5, pattern: '^(1|true|0|false)$' },
  example: '1',
}
