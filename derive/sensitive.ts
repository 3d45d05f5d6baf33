import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { once } from '#registry/once.ts'
import { type Registry, registry } from '#registry/resources/index.ts'
import type { DataRoute } from './routes.ts'

/** The members whose values the log of calls does not keep: those of its resource, or of all where a route has none. */
export const sensitiveMembers = ({ definition }: Pick<DataRoute, 'definition'>): ReadonlySet<string> =>
  definition ? ofDefinition(definition) : ofAll(registry)

const ofDefinition = once(({ fields }: Definition): ReadonlySet<string> => new Set(namesIn(fields)))

const ofAll = once(
  (all: Registry): ReadonlySet<string> => new Set(all.flatMap((definition) => [...ofDefinition(definition)])),
)

const namesIn = (fields: { readonly [name: string]: Field }): string[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    ...(field.sensitive ? [name] : []),
    ...namesIn(kindOf(field).members?.(field) ?? {}),
  ])
