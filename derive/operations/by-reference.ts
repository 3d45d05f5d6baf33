import { externalRef, referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import type { PathParameter } from './operation.ts'
import { collectionPath } from './record.ts'

/** Common parts of the operations on a record by the caller’s own reference. */

export const referencePath = (definition: Definition, base: string): string =>
  `${collectionPath(definition, base)}/by/${referenceField}/{value}`

/** Returns the path of the same record by its id. */
export const recordPathBeside = (path: string, id: number): string =>
  path.replace(/\/by\/[^/]{1,40}\/\{value\}$/, `/${id}`)

export function referenceOf(definition: Definition): PathParameter {
  return {
    name: 'value',
    is: {
      about: `Your own identifier of the ${definition.one}, its \`${referenceField}\`, percent-encoded. Capitals do not count, and neither do deleted records.`,
      schema: kindOf(externalRef).schema(externalRef),
      example: kindOf(externalRef).example(externalRef) as string,
      field: referenceField,
    },
    sent: { value: 'postman-sample', about: `Your own identifier of the ${definition.one}.` },
  }
}
