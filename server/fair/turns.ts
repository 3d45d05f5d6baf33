export type Key = string | number

export type Turns<Item> = ReturnType<typeof createTurns<Item>>

/** Creates queues by key, served round robin. Items of a key keep their order. An empty one takes no memory. */
export function createTurns<Item>() {
  /** In the order of their turns: a Map keeps the order of insertion. */
  const queues = new Map<Key, Item[]>()
  let size = 0

  return {
    get size(): number {
      return size
    },
    push(key: Key, item: Item): void {
      const queue = queues.get(key)
      if (queue) queue.push(item)
      else queues.set(key, [item])
      size++
    },
    first: (): Item | undefined => queues.values().next().value?.[0],
    /** Removes the first item of the key whose turn it is. */
    shift(): Item | undefined {
      for (const [key, queue] of queues) {
        queues.delete(key)
        const item = queue.shift()
        if (queue.length > 0) queues.set(key, queue)
        size--
        return item
      }
      return undefined
    },
    /** Removes the newest item of the key with the most. */
    pop(): Item | undefined {
      let longest: [Key, Item[]] | undefined
      for (const entry of queues) if (!longest || entry[1].length > longest[1].length) longest = entry
      if (!longest) return undefined
      const [key, queue] = longest
      const item = queue.pop()
      if (queue.length === 0) queues.delete(key)
      size--
      return item
    },
    remove(matches: (item: Item) => boolean): Item[] {
      const removed: Item[] = []
      for (const [key, queue] of queues) {
        if (!queue.some(matches)) continue
        removed.push(...queue.filter(matches))
        const stay = queue.filter((item) => !matches(item))
        if (stay.length > 0) queues.set(key, stay)
        else queues.delete(key)
      }
      size -= removed.length
      return removed
    },
  }
}
