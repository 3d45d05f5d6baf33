/** What stands in a heap by how little of it is under way, then by how long ago it was served. */
export type Heaped = { underWay: number; servedAt: number; index: number }

/** The index of what stands in no heap. */
export const notIn = -1

/** Puts an entry where it belongs: before its children, behind its parent. It may be in already, with other numbers. */
export function putIn<Entry extends Heaped>(heap: Entry[], entry: Entry): void {
  if (entry.index === notIn) put(heap, entry, heap.length)
  moveUp(heap, entry)
  moveDown(heap, entry)
}

export function takeOut<Entry extends Heaped>(heap: Entry[], entry: Entry): void {
  const { index } = entry
  entry.index = notIn
  const last = heap.pop() as Entry
  if (last === entry) return
  put(heap, last, index)
  putIn(heap, last)
}

const isBefore = (one: Heaped, other: Heaped): boolean =>
  one.underWay === other.underWay ? one.servedAt < other.servedAt : one.underWay < other.underWay

function put<Entry extends Heaped>(heap: Entry[], entry: Entry, index: number): void {
  heap[index] = entry
  entry.index = index
}

function moveUp<Entry extends Heaped>(heap: Entry[], entry: Entry): void {
  while (entry.index > 0) {
    const above = (entry.index - 1) >> 1
    const parent = heap[above] as Entry
    if (!isBefore(entry, parent)) return
    put(heap, parent, entry.index)
    put(heap, entry, above)
  }
}

function moveDown<Entry extends Heaped>(heap: Entry[], entry: Entry): void {
  for (;;) {
    const [left, right] = [heap[2 * entry.index + 1], heap[2 * entry.index + 2]]
    const child = right && left && isBefore(right, left) ? right : left
    if (!child || !isBefore(child, entry)) return
    const [above, below] = [entry.index, child.index]
    put(heap, child, above)
    put(heap, entry, below)
  }
}
