import { commonOperations } from '#derive/llms.ts'
import { inCode } from '#derive/words.ts'
import { servedResources } from '#registry/resources/index.ts'
import { difference, type Facts } from './document-facts.ts'

/** The additions from one version to the next, for people: operations, and parameters and members of older ones. */

/** Returns a sentence for each kind of addition. Additions inside of another one are not named. */
export function additionsOf(before: Facts, now: Facts): string[] {
  const { added } = difference(before, now)
  const operations = added.flatMap((subject) => (subject.startsWith('operation ') ? [subject.slice(10)] : []))
  const named = [
    ['New parameters', placesOf(added.flatMap(addedParameter), before)],
    ['New in bodies', placesOf(added.flatMap(addedMember('request', before)), before)],
    ['New in answers', placesOf(added.flatMap(addedMember('answer', before)), before)],
  ] as const
  return [
    ...(operations.length > 0 ? [`New operations: ${formatOperations(operations)}.`] : []),
    ...named.flatMap(([what, places]) => (places.length > 0 ? [`${what}: ${places.join('; ')}.`] : [])),
  ]
}

export type Addition = { name: string; operation: string }

export function addedParameter(subject: string): Addition[] {
  const [kind, method, path, name = ''] = subject.split(' ')
  return kind === 'parameter' ? [{ name: name.slice(name.indexOf('.') + 1), operation: `${method} ${path}` }] : []
}

/** If no member of an object was described before, the members described now are no additions. */
const addedMember =
  (kind: 'request' | 'answer', before: Facts) =>
  (subject: string): Addition[] => {
    const words = subject.split(' ')
    const name = words[kind === 'request' ? 3 : 4]
    if (words[0] !== kind || name === undefined || name.includes('/') || name.startsWith('header.')) return []
    const beside = subject.slice(0, Math.max(subject.lastIndexOf('.'), subject.lastIndexOf(' ')) + 1)
    const hadMembers = [...before.keys()].some(
      (known) => known.startsWith(beside) && !/[/ ]/.test(known.slice(beside.length)),
    )
    return hadMembers ? [{ name: name.replace(/^body\./, ''), operation: `${words[1]} ${words[2]}` }] : []
  }

/** Returns each name with its operations, as far as they existed before. */
function placesOf(additions: readonly Addition[], before: Facts): string[] {
  const older = additions.filter(({ operation }) => before.has(`operation ${operation}`))
  const byName = Map.groupBy(older, ({ name }) => name)
  const places = [...byName].map(
    ([name, all]) => [name, formatOperations(all.map(({ operation }) => operation))] as const,
  )
  const byPlaces = Map.groupBy(places, ([, operations]) => operations)
  return [...byPlaces].map(([operations, names]) => `${inCode(names.map(([name]) => name))} of ${operations}`)
}

const resources = servedResources.map(({ name }) => name)

const formatOperations = (operations: readonly string[]): string => inCode(commonOperations(operations, resources))
