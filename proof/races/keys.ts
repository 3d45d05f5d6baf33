import { type Parts, settle } from '../operations.ts'
import { type Answered, belowOf, type Field, formatAnswer, isDone, isOpen, type Race, sendAtOnce } from './field.ts'

/** A call to be sent under one key; the body of another one, if it has a body. */
type Racing = { want: string; parts: Parts; other?: object; onDone?: (done: Answered) => void }

/** Sends one call under one key by two to four callers at once; sometimes one of them has another body. */
export async function raceForKey(field: Field): Promise<Race> {
  const { site } = field
  const below = belowOf(site)
  const { want, parts, other, onDone } = drawCall(field)
  const keyed = { ...parts, key: site.next('key') }
  const count = 2 + below(3)
  const odd = other !== undefined && below(6) === 0 ? below(count) : -1
  const parties = Array.from({ length: count }, (_, place) => ({
    want,
    parts: place === odd ? { ...keyed, body: other as object } : keyed,
  }))
  const { isOverlapping, heard } = await sendAtOnce(field, parties)
  const again = { want, parts: keyed, answer: await settle(site, want, keyed) }
  const all = [...heard, again]
  const wrong = judgeKey(all, { isMixed: odd >= 0, isSeries: want === 'batch, each' })
  const done = all.find(({ answer }) => isDone(answer))
  if (done && wrong.length === 0) onDone?.(done)
  return { isOverlapping, heard: all, wrong: wrong.map((why) => `${want} under ${keyed.key}: ${why}`) }
}

/**
 * Says what is wrong with the answers of one key: one caller does the work, and everyone else hears of that or is refused.
 * A series of operations (`each`) may be shared out: then the checker counts its changes.
 */
export function judgeKey(
  heard: readonly Answered[],
  { isMixed, isSeries }: { isMixed: boolean; isSeries: boolean },
): string[] {
  const refusals = ['idempotency_in_progress', ...(isMixed ? ['idempotency_key_reuse'] : [])]
  const done = heard.filter(({ answer }) => isDone(answer))
  const first = done.filter(({ answer }) => !answer.replayed)
  const strange = heard.filter(
    ({ answer }) =>
      !isDone(answer) && !isOpen(answer) && !(answer.status === 409 && refusals.includes(answer.answer?.code)),
  )
  const bodies = new Set(done.map(({ parts }) => JSON.stringify(parts.body)))
  const isUnsettled = heard.some(({ answer }) => isOpen(answer))
  return [
    ...((first.length > 1 && !isSeries) || (first.length === 0 && !isUnsettled)
      ? [`${first.length} callers did the work`]
      : []),
    ...(bodies.size > 1 ? ['two bodies were accepted'] : []),
    ...strange.map(({ answer }) => `answered ${formatAnswer(answer)}`),
  ]
}

const wants = ['create', 'create', 'create', 'update', 'update', 'batch', 'delete', 'undo'] as const

function drawCall(field: Field): Racing {
  const { site, clients } = field
  const want = wants[belowOf(site)(wants.length)]
  if (want === 'update') return update(field)
  if (want === 'batch') return batch(field)
  const spare = want === 'create' ? undefined : clients.shift()
  if (want === 'delete' && spare) return { want, parts: { method: 'DELETE', path: `/v1/clients/${spare.id}` } }
  if (want === 'undo' && spare) return { want, parts: { method: 'POST', path: `/v1/writes/${spare.write}/undo` } }
  const body = () => ({ name: site.next('client') })
  return {
    want: 'create',
    parts: { method: 'POST', path: '/v1/clients', body: body() },
    other: body(),
    onDone: ({ answer: { answer, write } }) => clients.push({ id: answer.data.id, write: write as string }),
  }
}

function update({ site }: Field): Racing {
  const body = () => ({ notes: site.next('notes') })
  const path = `/v1/clients/${site.clients[belowOf(site)(site.clients.length)]}`
  return { want: 'update', parts: { method: 'PATCH', path, body: body() }, other: body() }
}

function batch({ site }: Field): Racing {
  const mode = site.draw() < 0.5 ? 'all' : 'each'
  const id = site.clients[belowOf(site)(site.clients.length)]
  const body = () => ({
    mode,
    operations: [
      { op: 'create', records: 'clients', body: { name: site.next('client') } },
      { op: 'update', records: 'clients', id, body: { notes: site.next('notes') } },
    ],
  })
  return { want: `batch, ${mode}`, parts: { method: 'POST', path: '/v1/batch', body: body() }, other: body() }
}
