/** An entry stores its index, so that it is found without a search. */
export type HeapEntry = { index: number }

/** The index of an entry that is in no heap. */
export const notIn = -1

/** Creates a binary heap: every entry stands before its children. */
export function createHeap<Entry extends HeapEntry>(isBefore: (one: Entry, other: Entry) => boolean) {
  const entries: Entry[] = []

  const put = (entry: Entry, index: number): void => {
    entries[index] = entry
    entry.index = index
  }
  const moveUp = (entry: Entry): void => {
    while (entry.index > 0) {
      const above = (entry.index - 1) >> 1
      const parent = entries[above] as Entry
      if (!isBefore(entry, parent)) return
      put(parent, entry.index)
      put(entry, above)
    }
  }
  const moveDown = (entry: Entry): void => {
    for (;;) {
      const [left, right] = [entries[2 * entry.index + 1], entries[2 * entry.index + 2]]
      const child = right && left && isBefore(right, left) ? right : left
      if (!child || !isBefore(child, entry)) return
      const [above, below] = [entry.index, child.index]
      put(child, above)
      put(entry, below)
    }
  }
  /** Inserts an entry, or moves it after its numbers have changed. */
  const putIn = (entry: Entry): void => {
    if (entry.index === notIn) put(entry, entries.length)
    moveUp(entry)
    moveDown(entry)
  }
  return {
    /** The entries; the first of all is at index 0. */
    entries: entries as readonly Entry[],
    putIn,
    takeOut(entry: Entry): void {
      const { index } = entry
      entry.index = notIn
      const last = entries.pop() as Entry
      if (last === entry) return
      put(last, index)
      putIn(last)
    },
  }
}
