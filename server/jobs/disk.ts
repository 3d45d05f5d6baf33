import { statfs } from 'node:fs/promises'
import { atMost } from '../wait/wait.ts'
import type { BackgroundRunner } from './in-background.ts'

export type Room = { freeBytes: number; sizeBytes: number }

/** The folders whose free space a process watches, and the callbacks for it. */
export type DiskWatch = {
  /** The folder of the bundled cluster, whose free space decides about writes. Null with another database. */
  cluster: string | null
  /** Other folders, whose free space is only shown. */
  others: { readonly [name: string]: string }
  /** Free bytes below which writes are refused. Null means a share of the disk. */
  reserveBytes: number | null
  /** `name` is "data" or a key of `others`. */
  onFree(name: string, freeBytes: number): void
  onShort(isShort: boolean, room: Room): void
}

const clusterEveryMs = 1000
const othersEveryMs = 60_000
/** Most folders that may hang at once: each blocks one of Node's four threads until its file system answers. */
const hangingMax = 2

/** Starts the watch. The free space of the cluster is read once before it resolves, if its file system answers. */
export async function startDiskWatch(
  { cluster, others, reserveBytes, onFree, onShort }: DiskWatch,
  inBackground: BackgroundRunner,
) {
  const hanging = new Set<string>()
  let isShort = false

  /** Reads the free space. Returns undefined if the folder is missing, or while the last reading hangs. */
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
    await atMost(clusterEveryMs, look())
  }
  lookAtOthers()
  for (const timer of timers) timer.unref()
  return { stop: () => timers.forEach(clearInterval) }
}

const reserveBytesMax = 256 * 1024 ** 2

/**
 * Returns whether writes are refused. They are accepted again once a tenth more than the reserve is free, so that the
 * two states do not alternate.
 */
export function isShortOf({ freeBytes, sizeBytes }: Room, reserveBytes: number | null, isShort: boolean): boolean {
  const reserve = reserveBytes ?? Math.min(reserveBytesMax, sizeBytes / 20)
  return freeBytes < (isShort ? reserve * 1.1 : reserve)
}
