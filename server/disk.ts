import { tmpdir } from 'node:os'
import type { App } from './app.ts'
import { startDiskWatch } from './jobs/disk.ts'

/**
 * Refuses writes while the disk of the bundled cluster is short of room. The process that looks after the database also
 * shows and logs the room on all disks.
 */
export function watchDisks(
  { config, log, metrics, room, inBackground }: App,
  cluster: string | null,
  isOwner: boolean,
) {
  const { backupTo, archive, diskReserve } = config
  const others = { ...(archive && { archive }), ...(backupTo && { backups: backupTo }), temporary: tmpdir() }
  return startDiskWatch(
    {
      cluster,
      others: isOwner ? others : {},
      reserveBytes: diskReserve,
      onFree: isOwner ? metrics.diskFree : () => undefined,
      onShort(isShort, { freeBytes }) {
        room.isShort = isShort
        if (!isOwner) return
        const facts = { folder: cluster, free_bytes: freeBytes }
        if (isShort) log.error(facts, 'the disk of the database is nearly full: writes are refused')
        else log.warn(facts, 'the disk of the database has room: writes are let in')
      },
    },
    inBackground,
  )
}
