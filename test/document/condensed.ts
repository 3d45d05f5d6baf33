import { createHash } from 'node:crypto'
import { labelOf, schemaName } from '#derive/words.ts'
import type { JsonObject } from '#registry/json.ts'
import { servedResources } from '#registry/resources/index.ts'

/**
 * The documents as they are committed: what is common and what is of projects in full, and of the other resources the
 * hash of each operation, type and request. `npm run goldens` shows what has changed in all of them.
 */

const others = servedResources.filter(({ name }) => name !== 'projects')
const types = new RegExp(`^(Batch|Fetch|Update|Delete|History)?(${others.map(schemaName).join('|')})(?![a-z])`)
const paths = new RegExp(`^/v1/(choices/)?(${others.map(({ name }) => name).join('|')})(/|$)`)
const folders = others.map(labelOf)

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Returns the object with the entries that belong to another resource replaced. */
const replaced = (
  object: JsonObject,
  isOthers: (key: string) => boolean,
  hash: (value: unknown) => unknown,
): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, isOthers(key) ? hash(value) : value]),
  ) as JsonObject

/** Returns an OpenAPI document with a hash for each operation and component of the other resources. */
export function condensedOpenapi({ paths: all, components, ...document }: JsonObject): JsonObject {
  const hashEach = (item: unknown) => replaced(item as JsonObject, () => true, hashOf)
  return {
    ...document,
    paths: replaced(all as JsonObject, (path) => paths.test(path), hashEach),
    components: Object.fromEntries(
      Object.entries(components as JsonObject).map(([sort, named]) => [
        sort,
        replaced(named as JsonObject, (name) => types.test(name), hashOf),
      ]),
    ) as JsonObject,
  }
}

type Item = { name: string; item?: Item[]; response?: { name: string }[] }

/**
 * Returns a collection with a hash for each request of the other resources, and for each saved response: the document has
 * them too.
 */
export const condensedPostman = ({ item, ...collection }: JsonObject): JsonObject => ({
  ...collection,
  item: (item as Item[]).map((folder) => ({
    ...folder,
    item: folder.item?.map((request) =>
      folders.includes(folder.name)
        ? { name: request.name, sha256: hashOf(request) }
        : {
            ...request,
            response: request.response?.map((one) => ({ name: one.name, sha256: hashOf(one) })),
          },
    ),
  })) as unknown as JsonObject[],
})
