import type { Definition } from '#registry/definition.ts'
import type { DataRoute, PublicRoute } from '../routes.ts'
import { schemaName } from '../words.ts'

/** The collection variable that create sets and the other calls read: `project_id`. */
export const idVariable = (definition: Definition): string => `${variable(definition)}_id`

/** The ETag that fetch saw. */
export const tagVariable = (definition: Definition): string => `${variable(definition)}_etag`

/** What each request checks of its answer, and what it hands on. */
export function checks(route: DataRoute, preview?: 'preview'): string[] {
  const { operation, definition, success } = route
  const id = `pm.collectionVariables.get('${idVariable(definition)}')`
  switch (operation) {
    case 'create':
      return check(`A new ${definition.one} has an id`, success, [
        "pm.expect(data).to.have.all.keys('id', 'created', 'dry_run')",
        'pm.expect(data.created).to.equal(true)',
        `pm.expect(pm.response.headers.get('Location')).to.equal('${route.path}/' + data.id)`,
        `pm.collectionVariables.set('${idVariable(definition)}', data.id)`,
      ])
    case 'list':
      return check('The page says how many there are', success, [
        "pm.expect(data).to.be.an('array')",
        'const { meta } = pm.response.json()',
        "pm.expect(meta).to.have.all.keys('total', 'limit', 'offset')",
        'pm.expect(meta.total).to.be.at.least(data.length)',
      ])
    case 'fetch':
      return check(`The ${definition.one} is the one asked for`, success, [
        `pm.expect(data.id).to.equal(Number(${id}))`,
        `pm.collectionVariables.set('${tagVariable(definition)}', pm.response.headers.get('ETag'))`,
      ])
    case 'update':
      return check('What changed is listed', success, [
        "pm.expect(data).to.have.all.keys('id', 'updated', 'dry_run', 'changed')",
        `pm.expect(data.changed).to.include('${definition.title}')`,
      ])
    case 'delete':
      return preview ? previewChecks(success) : deleteChecks(route)
  }
}

export function publicChecks({ id, type }: PublicRoute): string[] {
  const lines: { readonly [id: string]: string } = {
    openapi: 'pm.expect(pm.response.json().openapi).to.match(/^3\\.1\\./)',
    postman: "pm.expect(pm.response.json().info.schema).to.include('/v2.1.0/')",
  }
  return [
    "pm.test('The document is there', () => {",
    '  pm.response.to.have.status(200)',
    `  pm.expect(pm.response.headers.get('Content-Type')).to.include('${type.split(';')[0]}')`,
    ...(lines[id] ? [`  ${lines[id]}`] : []),
    '})',
  ]
}

const previewChecks = (success: number): string[] =>
  check('The preview deletes nothing', success, [
    "pm.expect(data).to.have.all.keys('id', 'deleted', 'dry_run', 'mode', 'would_delete', 'would_keep')",
    'pm.expect(data.deleted).to.equal(false)',
    'pm.expect(data.dry_run).to.equal(true)',
  ])

const deleteChecks = ({ definition, success }: DataRoute): string[] =>
  check(`The ${definition.one} is deleted`, success, [
    "pm.expect(data).to.have.all.keys('id', 'deleted', 'dry_run', 'mode', 'deleted_with', 'kept')",
    'pm.expect(data.deleted).to.equal(true)',
    `pm.collectionVariables.unset('${idVariable(definition)}')`,
    `pm.collectionVariables.unset('${tagVariable(definition)}')`,
  ])

const check = (title: string, status: number, lines: string[]): string[] => [
  `pm.test('${title}', () => {`,
  `  pm.response.to.have.status(${status})`,
  '  const { data } = pm.response.json()',
  ...lines.map((line) => `  ${line}`),
  '})',
]

/** `time_entry` for a TimeEntry. */
const variable = (definition: Definition): string =>
  schemaName(definition)
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()
