import { statfs } from 'node:fs/promises'
import type { BackgroundRunner } from './in-background.ts'

export type Room = { freeBytes: number; sizeBytes: number }

/** How a process learns how much room there is, and whether writes still fit. */
export type DiskWatch = {
  /** The folder of the bundled cluster, by which writes are refused; null with another database. */
  cluster: string | null
  /** Other folders whose room is only shown. */
  others: { readonly [name: string]: string }
  /** Bytes below which writes are refused; null: by the size of the disk. */
  reserveBytes: number | null
  /** `name` is that of `others`, or "data". */
  onFree(name: string, freeBytes: number): void
  onShort(isShort: boolean, room: Room): void
}

const clusterEveryMs = 1000
const othersEveryMs = 60_000
/** A folder that does not answer holds one of the four threads of Node until it does. */
const hangingMax = 2

/** Asks for the room on each disk, once before it returns and then until it is stopped. */
export async function startDiskWatch(
  { cluster, others, reserveBytes, onFree, onShort }: DiskWatch,
  inBackground: BackgroundRunner,
) {
  const hanging = new Set<string>()
  let isShort = false

  /** Undefined while the folder is not there, or has not answered the last question. */
  const roomOf = async (folder: string): Promise<Room | undefined> => {
    if (hanging.has(folder)) return undefined
    hanging.add(folder)
    try {
      const { bavail, blocks, bsize } = await statfs(folder)
      return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
    } catch {
      return undefined
    } finally {
      hanging.delete(folder)
    }
  }
  const lookAtCluster = async (folder: string): Promise<void> => {
    const room = await roomOf(folder)
    if (!room) return
    onFree('data', room.freeBytes)
    const was = isShort
    isShort = isShortOf(room, reserveBytes, was)
    if (isShort !== was) onShort(isShort, room)
  }
  const lookAtOther = async ([name, folder]: [string, string]): Promise<void> => {
    if (hanging.size >= hangingMax) return
    const room = await roomOf(folder)
    if (room) onFree(name, room.freeBytes)
  }
  const lookAtOthers = (): void => {
    for (const other of Object.entries(others)) void inBackground('disk', () => lookAtOther(other))
  }

  const timers = [setInterval(lookAtOthers, othersEveryMs)]
  if (cluster !== null) {
    const look = () => inBackground('disk', () => lookAtCluster(cluster))
    timers.push(setInterval(() => void look(), clusterEveryMs))
    await look()
  }
  lookAtOthers()
  for (const timer of timers) timer.unref()
  return { stop: () => timers.forEach(clearInterval) }
}

const reserveBytesMax = 256 * 1024 ** 2

/** Whether writes are refused. They are let in again once a tenth more is free, so that the two do not alternate. */
export function isShortOf({ freeBytes, sizeBytes }: Room, reserveBytes: number | null, isShort: boolean): boolean {
  const reserve = reserveBytes ?? Math.min(reserveBytesMax, sizeBytes / 20)
  return freeBytes < (isShort ? reserve * 1.1 : reserve)
}
