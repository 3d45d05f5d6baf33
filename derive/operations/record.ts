import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { orRefusal, Refusal } from '#registry/refusals.ts'
import type { HeaderComponent } from '../schemas/headers.ts'
import { rightsOfBody } from '../visible.ts'
import { labelOf, planWords } from '../words.ts'
import { idVariable } from './collection.ts'
import type { BodyNeeds, PathParameter, Section } from './operation.ts'

/** Returns the common members of the operations on a resource. */
export const commonFacts = (definition: Definition, action: Action) => ({
  definition,
  section: sectionOf(definition),
  scope: permission(definition.name, action),
  addOn: definition.served?.addOn ?? 'api',
})

/** Returns the permissions of the fields that a body of a record names. */
export const namingFields =
  (definition: Definition) =>
  (body: Json): BodyNeeds => ({ scopes: [], addOns: [], rights: rightsOfBody(definition, body) })

function sectionOf(definition: Definition): Section {
  const addOn = definition.served?.addOn ?? 'api'
  const plan = planWords(definition)
  return {
    name: labelOf(definition),
    about: definition.about,
    remarks: [
      ...(addOn === 'api' ? [] : [`Served to companies with the add-on \`${addOn}\`.`]),
      ...(plan ? [`Plan limit: ${plan}.`] : []),
    ],
  }
}

export const collectionPath = (definition: Definition, base: string): string => `${base}/${definition.name}`
export const recordPath = (definition: Definition, base: string): string => `${collectionPath(definition, base)}/{id}`

export const idOf = (definition: Definition): PathParameter => ({
  name: 'id',
  is: 'Id',
  sent: { value: `{{${idVariable(definition)}}}`, about: `Id of the ${definition.one}; create sets it.` },
})

/** Headers of every response after authorization. */
export const rateHeaders: readonly HeaderComponent[] = ['RateLimitPolicy', 'RateLimit']
export const readHeaders: readonly HeaderComponent[] = ['RequestId', 'ETag', 'CacheControl', 'Vary', ...rateHeaders]
export const writeHeaders: readonly HeaderComponent[] = [
  ...(['RequestId', 'WriteId', 'Replayed', 'OriginalRequestId'] as const),
  ...rateHeaders,
]

/** The accepted media types of a body. */
export const jsonTypes = ['application/json'] as const
export const mergePatchType = 'application/merge-patch+json'
export const patchTypes = [mergePatchType, ...jsonTypes] as const

/** Returns the refusal that the service's code throws. */
export function refusalOf(work: () => unknown): Refusal {
  const refusal = orRefusal(work)
  if (refusal instanceof Refusal) return refusal
  throw new Error('an example of a refusal was not refused')
}
