import { shuffle } from '../draw.ts'
import { settle } from '../operations.ts'
import {
  type Answered,
  batchOf,
  belowOf,
  type Field,
  formatAnswer,
  isDone,
  isOpen,
  type Party,
  type Race,
  sendAtOnce,
} from './field.ts'

/** A record to delete, and the field by which projects refer to it. */
type Target = { records: 'clients' | 'workers'; field: 'client_id' | 'manager_id'; id: number }

/** Deletes a record while new references to it are written. */
export async function raceDeletion(field: Field): Promise<Race> {
  const { site } = field
  const below = belowOf(site)
  const isClient = below(4) > 0
  const records = isClient ? 'clients' : 'workers'
  const created = await settle(site, 'prepare', {
    ...{ method: 'POST', path: `/v1/${records}`, body: { name: site.next(records) }, key: site.next('key') },
  })
  if (!isDone(created)) return { isOverlapping: false, heard: [], wrong: [`the record is answered ${created.status}`] }
  const target: Target = { records, field: isClient ? 'client_id' : 'manager_id', id: created.answer.data.id }
  const deletions = Array.from({ length: 1 + below(2) }, () => ({
    want: 'deletion',
    parts: { method: 'DELETE', path: `/v1/${records}/${target.id}`, key: site.next('key') },
  }))
  const references = Array.from({ length: 1 + below(3) }, () => refer(field, target))
  const parties = [...deletions, ...references.map(({ party }) => party)]
  const { isOverlapping, heard } = await sendAtOnce(field, shuffle(parties, site.draw))
  for (const { party, onHeard } of references) {
    const own = heard.find(({ parts }) => parts === party.parts) as Answered
    onHeard(own)
  }
  const of = `${records}/${target.id}`
  return { isOverlapping, heard, wrong: judgeDeletion(heard, isClient).map((why) => `${of}: ${why}`) }
}

/** Says what is wrong: the record is deleted once at most, and never while a reference that protects it is taken. */
export function judgeDeletion(heard: readonly Answered[], isRestricted: boolean): string[] {
  const deletions = heard.filter(({ want }) => want === 'deletion')
  const references = heard.filter(({ want }) => want !== 'deletion')
  const deleted = deletions.filter(({ answer }) => isDone(answer)).length
  const protecting = references.filter(({ want, answer }) => isDone(answer) && want.endsWith(protectedMark)).length
  const isUnsettled = heard.some(({ answer }) => isOpen(answer))
  const strange = heard.filter(({ want, answer }) => {
    const allowed = want === 'deletion' ? [404, 409] : [400, 404, 422]
    return !isDone(answer) && !isOpen(answer) && !allowed.includes(answer.status as number)
  })
  const isBlocked = isRestricted && protecting > 0
  return [
    ...(deleted > 1 ? [`${deleted} deletions were done`] : []),
    ...(deleted > 0 && isBlocked ? ['it was deleted, and a reference that protects it was taken'] : []),
    ...(deleted === 0 && !isBlocked && !isUnsettled ? ['nothing protected it, and no deletion was done'] : []),
    ...strange.map(({ want, answer }) => `${want} is answered ${formatAnswer(answer)}`),
  ]
}

const protectedMark = 'that protects'

/** A new reference in one of the ways in which there are any, and what is left of it for later races. */
function refer(field: Field, target: Target): { party: Party; onHeard(heard: Answered): void } {
  const { site, projects } = field
  const below = belowOf(site)
  const key = site.next('key')
  const way = below(3)
  const known = way === 0 ? projects.shift() : undefined
  const isProtected = known?.isProtected ?? below(3) > 0
  const mark = target.records === 'clients' && isProtected ? `, ${protectedMark}` : ''
  if (known)
    return {
      party: {
        want: `update${mark}`,
        parts: { method: 'PATCH', path: `/v1/projects/${known.id}`, body: { [target.field]: target.id }, key },
      },
      onHeard: () => projects.push(known),
    }
  const status = isProtected ? 'BIDDING' : 'CANCELLED'
  const body = { name: site.next('project'), status, [target.field]: target.id }
  if (way === 1)
    return {
      party: {
        want: `batch${mark}`,
        parts: { method: 'POST', path: '/v1/batch', key, body: batchOf({ op: 'create', records: 'projects', body }) },
      },
      onHeard: () => {},
    }
  return {
    party: { want: `create${mark}`, parts: { method: 'POST', path: '/v1/projects', body, key } },
    onHeard: ({ answer }) => {
      if (isDone(answer)) projects.push({ id: answer.answer.data.id, isProtected })
    },
  }
}
