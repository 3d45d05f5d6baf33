/** Queues by key. Items of a key keep their order, and the keys take turns. */
export type Key = string | number

/** Queues by key, served round robin. A key without items takes no memory. */
export type Turns<Item> = {
  push(key: Key, item: Item): void
  /** Removes the first item of the key whose turn it is. */
  shift(): Item | undefined
  /** Removes the newest item of the key with the most. */
  pop(): Item | undefined
  /** Removes all items that match. */
  remove(matches: (item: Item) => boolean): Item[]
  /** Returns the item that `shift` would remove. */
  first(): Item | undefined
  readonly size: number
}

export function createTurns<Item>(): Turns<Item> {
  /** In the order of their turns: a Map keeps the order of insertion. */
  const queues = new Map<Key, Item[]>()
  let size = 0

  const drop = (key: Key, queue: Item[]): void => {
    if (queue.length === 0) queues.delete(key)
  }

  return {
    get size() {
      return size
    },
    push(key, item) {
      const queue = queues.get(key)
      if (queue) queue.push(item)
      else queues.set(key, [item])
      size++
    },
    first: () => queues.values().next().value?.[0],
    shift() {
      for (const [key, queue] of queues) {
        queues.delete(key)
        const item = queue.shift()
        if (queue.length > 0) queues.set(key, queue)
        size--
        return item
      }
      return undefined
    },
    pop() {
      let longest: [Key, Item[]] | undefined
      for (const entry of queues) if (!longest || entry[1].length > longest[1].length) longest = entry
      if (!longest) return undefined
      const item = longest[1].pop()
      drop(...longest)
      size--
      return item
    },
    remove(matches) {
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
