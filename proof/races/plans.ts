import { pause, settle } from '../operations.ts'
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

/** Fills the plan of a company, but for what other races free. */
export async function fillPlan({ site }: Pick<Field, 'site'>): Promise<void> {
  for (;;) {
    const body = { name: site.next('project') }
    const { status } = await settle(site, 'prepare', {
      method: 'POST',
      path: '/v1/projects',
      body,
      key: site.next('key'),
    })
    if (status === 402) return
    if (status !== 201) throw new Error(`a project is answered ${status} while the plan is filled`)
  }
}

/** Frees one or two places of a plan that is full, and lets more callers than that take them at once. */
export async function raceForPlaces(field: Field, most: number): Promise<Race> {
  const { site } = field
  const below = belowOf(site)
  const places = 1 + below(2)
  const live = await listProjects(field)
  const gone: string[] = []
  for (const id of live.slice(0, places)) {
    const parts = { method: 'DELETE', path: `/v1/projects/${id}`, key: site.next('key') }
    const { write } = await settle(site, 'prepare', parts)
    if (write !== undefined) gone.push(write)
  }
  const parties = Array.from({ length: places + 2 + below(3) }, (_, place) =>
    takePlace(field, place === 0 ? gone[0] : undefined),
  )
  const { isOverlapping, heard } = await sendAtOnce(field, parties)
  const after = await listProjects(field)
  return { isOverlapping, heard, wrong: judgePlaces(heard, { places, after: after.length, most }) }
}

/** Says what is wrong: as many callers as there were places are served, and the others are refused. */
export function judgePlaces(
  heard: readonly Answered[],
  { places, after, most }: { places: number; after: number; most: number },
): string[] {
  const taken = heard.filter(({ answer }) => isDone(answer)).length
  const isUnsettled = heard.some(({ answer }) => isOpen(answer))
  const isRefusedByPlan = ({ status, answer }: Answered['answer']): boolean =>
    status === 402 || (answer?.code === 'batch_refused' && JSON.stringify(answer).includes('plan_limit_reached'))
  const strange = heard.filter(({ answer }) => !isDone(answer) && !isOpen(answer) && !isRefusedByPlan(answer))
  return [
    ...(taken > places || (taken < places && !isUnsettled) ? [`${taken} callers took ${places} places`] : []),
    ...(after > most || (after < most && !isUnsettled) ? [`${after} records are there, of ${most}`] : []),
    ...strange.map(({ want, answer }) => `${want} at the limit of the plan is answered ${formatAnswer(answer)}`),
  ]
}

/** A create of its own or in a batch, or the undo of a deletion. */
function takePlace({ site }: Field, deletion: string | undefined): Party {
  const key = site.next('key')
  const body = { name: site.next('project') }
  if (deletion !== undefined && site.draw() < 0.5)
    return { want: 'undo of a deletion', parts: { method: 'POST', path: `/v1/writes/${deletion}/undo`, key } }
  if (site.draw() < 0.8) return { want: 'create', parts: { method: 'POST', path: '/v1/projects', body, key } }
  const batch = batchOf({ op: 'create', records: 'projects', body })
  return { want: 'batch', parts: { method: 'POST', path: '/v1/batch', body: batch, key } }
}

async function listProjects({ site }: Field): Promise<number[]> {
  for (let tries = 0; tries < 100; tries++) {
    const { status, answer } = await settle(site, 'prepare', { method: 'GET', path: '/v1/projects?limit=100' })
    if (status === 200) return answer.data.map(({ id }: { id: number }) => id)
    await pause(50)
  }
  throw new Error('the list of projects is not answered')
}
