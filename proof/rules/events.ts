import { type Event, hasSucceeded } from '../history.ts'
import type { Rule } from './rule.ts'

export const followersMissNothing: Rule = {
  name: 'followers',
  promise:
    'Whoever follows the feed is told every change from the first that he was told, in the order of the feed; until a 410, if that is answered.',
  *find({ companies, losses }) {
    for (const { name, feed, told, gone } of companies)
      for (const [follower, ids] of told) {
        const since = feed.findIndex(({ id }) => id === ids[0])
        if (gone.has(follower)) {
          const place = ids.findIndex((id, at) => id !== feed[Math.max(0, since) + at]?.id)
          // The last that was told is lost with the writes that made it.
          if (place >= 0 && losses.length === 0)
            yield `${name}, ${follower}: ${ids[place]} was told as number ${place} before a 410, and is another in the feed`
        } else if (since < 0) yield `${name}, ${follower}: was told ${ids[0]}, which the feed does not have`
        else yield* firstDifference(`${name}, ${follower}`, feed.slice(since), ids)
      }
  },
}

function* firstDifference(who: string, feed: readonly Event[], ids: readonly string[]): Iterable<string> {
  const place = feed.findIndex(({ id }, at) => id !== ids[at])
  if (place >= 0) yield `${who}: ${feed[place]?.id} is number ${place}, and ${ids[place] ?? 'nothing'} was told there`
  else if (ids.length > feed.length) yield `${who}: was told ${ids.length - feed.length} changes more than there are`
}

export const webhooksTellAll: Rule = {
  name: 'webhooks',
  promise: 'A receiver takes every change of the feed once or more, and in order where it asked for that.',
  *find({ companies }) {
    for (const { name, feed, endpoints } of companies)
      for (const [endpoint, { ordered, records, deliveries }] of endpoints) {
        const due = feed.filter(({ record }) => records.includes(record.split('/')[0] as string))
        const taken = new Set<string>()
        const places = new Map(due.map(({ id }, place) => [id, place]))
        let next = 0
        for (const { id, taken: isTaken } of deliveries) {
          const place = places.get(id)
          if (place === undefined) yield `${name}, ${endpoint}: ${id} was sent, and the feed does not tell it`
          else if (ordered && place > next)
            yield `${name}, ${endpoint}: ${id} was sent before ${due[next]?.id} had been taken`
          if (!isTaken) continue
          taken.add(id)
          while (taken.has(due[next]?.id ?? '')) next++
        }
        for (const { id } of due) if (!taken.has(id)) yield `${name}, ${endpoint}: ${id} was never taken`
      }
  },
}

export const revokedIsRevoked: Rule = {
  name: 'revocation',
  promise: 'Once the end of a token was answered, no call with it is accepted.',
  *find({ companies, revoked }) {
    for (const { name, calls } of companies)
      for (const call of calls) {
        const at = revoked.get(call.token)
        if (at !== undefined && call.start > at && (hasSucceeded(call) || call.status === 304))
          yield `${name}: ${call.method} ${call.path} with the token ${call.token} was accepted ${Math.round(call.start - at)} ms after its end`
      }
  },
}
