import { tmpdir } from 'node:os'
import type { App } from './app.ts'
import { startDiskWatch } from './jobs/disk.ts'

/** Refuses writes while the disk of the bundled cluster is short of room, in a process that only serves. */
export const watchRoom = ({ config, room, inBackground }: App, cluster: string | null) =>
  startDiskWatch(
    {
      cluster,
      others: {},
      reserveBytes: config.diskReserve,
      onFree: () => undefined,
      onShort: (isShort) => void Object.assign(room, { isShort }),
    },
    inBackground,
  )

/** The same in the process that looks after the database, which also shows and logs the room on all disks. */
export function watchDisks({ config, log, metrics, room, inBackground }: App, cluster: string | null) {
  const { backupTo, archive, diskReserve } = config
  return startDiskWatch(
    {
      cluster,
      others: { ...(archive && { archive }), ...(backupTo && { backups: backupTo }), temporary: tmpdir() },
      reserveBytes: diskReserve,
      onFree: metrics.diskFree,
      onShort(isShort, { freeBytes }) {
        room.isShort = isShort
        if (isShort)
          log.error(
            { folder: cluster, free_bytes: freeBytes },
            'the disk of the database is nearly full: writes are refused',
          )
        else
          log.warn({ folder: cluster, free_bytes: freeBytes }, 'the disk of the database has room: writes are let in')
      },
    },
    inBackground,
  )
}
