import type { Change } from '#server/service/changes.ts'

/**
 * A consumer as docs/events.md has it: keeps a copy of what it is told, and the cursor beside it. It is told each change
 * at least once, drops what is not newer than what it has, and notes what should never be.
 */
export type Consumer = {
  copy: Map<string, { version: number; record: unknown }>
  /** What contradicts the promise, in words. */
  wrong: string[]
  told: number
  take(changes: readonly Change[]): void
}

export function createConsumer(): Consumer {
  const copy: Consumer['copy'] = new Map()
  const versions = new Map<string, number>()
  const seen = new Set<string>()
  const wrong: string[] = []
  const consumer: Consumer = {
    copy,
    wrong,
    told: 0,
    take(changes) {
      for (const { id, records, record_id, version, action, record } of changes) {
        if (seen.has(id)) continue
        seen.add(id)
        consumer.told++
        const key = `${records}/${record_id}`
        const before = versions.get(key) ?? 0
        if (version !== before + 1) wrong.push(`${key}: version ${version} follows ${before}`)
        versions.set(key, version ?? before)
        if (action === 'deleted' || action === 'erased') copy.delete(key)
        else copy.set(key, { version: version ?? 0, record })
      }
    },
  }
  return consumer
}
