import { mkdir, open, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { clusterIn } from '../disk/files.ts'
import { type NetworkFault, networkFaults, slownessMs } from '../network.ts'
import { childrenOf, type Service, signal } from '../service.ts'
import type { FailingFiles } from './failing-files.ts'
import {
  type ClockGround,
  type CommandsGround,
  type DiskGround,
  type FilesGround,
  type Ground,
  limits,
  type NetworkGround,
  type RestoreGround,
} from './ground.ts'

/** A way in which something that the service stands on fails, and the longest that it may keep anyone waiting. */
export type BoundedFault<On extends Ground> = {
  name: string
  bounds: Bounds
  /**
   * Resolves when it is over. Throws where something was not as it has to be. `lose` says between which moments the last that was
   * answered may be lost, as the operator was told: at the second one whatever had answered is gone.
   */
  make(ground: On, lose: (from: number, to: number) => void): Promise<void>
}

/** Milliseconds from the start of a call to its first answer, and from the end of the fault until calls succeed again. */
export type Bounds = {
  answeredMs: number
  recoveredMs: number
  /** How much later each message between service and database arrives, which a call of many bears for each of them. */
  messageMs?: number
}

const statementMs = Number(limits.STATEMENT_TIMEOUT_MS)
/** D and R of docs/reliability/liveness.md. A call may be run again for as long as one statement may take. */
const stallMs = Number(limits.CONNECT_TIMEOUT_MS) + statementMs + 2000
const recoveryMs = 15_000
export const overNetwork: Bounds = { answeredMs: stallMs + statementMs, recoveredMs: stallMs }
const onBundled: Bounds = { answeredMs: stallMs + statementMs, recoveredMs: recoveryMs }

/** Longer than D, so that what is bounded by it has to end while the fault lasts. */
export const lastsMs = stallMs + 1000

const failing = (fault: NetworkFault): BoundedFault<NetworkGround> => ({
  name: `network ${fault}`,
  bounds: fault.startsWith('slow') ? { ...overNetwork, messageMs: slownessMs } : overNetwork,
  make: async ({ network }) => {
    network.fail(fault)
    // What is open is cut at once, and may come back.
    if (fault !== 'cut' && fault !== 'reset') await after(lastsMs)
    network.heal()
  },
})

export const faultsOfTheNetwork: readonly BoundedFault<NetworkGround>[] = [
  ...networkFaults.map(failing),
  {
    name: 'standby away for a while',
    // Nothing is acknowledged without it, so writes wait for it; they have an answer all the same.
    bounds: overNetwork,
    make: async ({ standby }) => {
      await standby.kill()
      await after(lastsMs)
      await standby.start()
    },
  },
]

/** Ends the primary, and leads to the standby once that is promoted. */
async function failOver({ network, primary, standby }: NetworkGround, onEnded: () => void = () => {}): Promise<void> {
  await primary.kill()
  onEnded()
  network.leadTo(null)
  await standby.ask('select pg_promote()')
  network.leadTo(standby.socket)
}

export const failovers: readonly BoundedFault<NetworkGround>[] = [
  failing('reset'),
  {
    name: 'failover to the standby',
    bounds: overNetwork,
    make: (ground) => failOver(ground),
  },
]

/** An address that moves before the standby has taken over: connections that are opened then outlive its promotion. */
export const earlyFailovers: readonly BoundedFault<NetworkGround>[] = [
  {
    name: 'failover to the standby, led there a second before it takes over',
    bounds: overNetwork,
    make: async ({ network, primary, standby }) => {
      await primary.kill()
      network.leadTo(standby.socket)
      await after(1000)
      await standby.ask('select pg_promote()')
    },
  },
]

export const faultsOfClocks: readonly BoundedFault<ClockGround>[] = (['service', 'database'] as const).flatMap(
  (whose) =>
    ['+1h', '-1h'].map((by) => ({
      name: `clock of the ${whose} ${by}`,
      bounds: overNetwork,
      make: async ({ set }: ClockGround) => {
        set(whose, by)
        await after(3000)
        set(whose, '+0')
      },
    })),
)

/** Lets something last that service and callers have to bear. */
const lastsOnDiskMs = 3000

/** Takes all that is free of a disk again and again until `act` is done, and gives it back. */
async function keepFull(folder: string, act: () => Promise<void> = () => after(lastsOnDiskMs)): Promise<void> {
  let isOver = false
  const filling = (async () => {
    while (!isOver) {
      await fill(folder)
      await after(50)
    }
  })()
  try {
    await act()
  } finally {
    isOver = true
    await filling
    await rm(join(folder, 'filler'))
  }
}

/** Gives a command that has to fail by this error of the disk, and to say so in one sentence. */
async function failCommand({ give }: Service, error: string, ...words: string[]): Promise<void> {
  const said = await give(...words).then(
    () => null,
    ({ stderr }: { stderr: string }) => stderr,
  )
  if (said === null) throw new Error(`"${words[0]}" succeeds where ${error} is due`)
  if (!said.includes(error) || /^\s+at /m.test(said)) throw new Error(`"${words[0]}" says ${said}`)
}

/** All that PostgreSQL has said in its files. */
async function readLogs(cluster: string): Promise<string> {
  const folder = join(cluster, 'log')
  const names = await readdir(folder)
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('')
}

/** The segments that wait to be archived. */
const waitingSegments = async (cluster: string): Promise<string[]> =>
  (await readdir(join(cluster, 'pg_wal/archive_status'))).filter((name) => name.endsWith('.ready'))

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + recoveryMs + 15_000; !(await isSo()); await after(50))
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
}

export const faultsOfDisks: readonly BoundedFault<DiskGround>[] = [
  {
    name: 'disk of the database full for 3 s',
    bounds: onBundled,
    make: ({ disks }) => keepFull(disks.data),
  },
  {
    name: 'disk of the log full for 3 s',
    bounds: onBundled,
    make: async ({ service, disks }) => {
      const cluster = clusterIn(service.data)
      const countPanics = async (): Promise<number> => (await readLogs(cluster)).split('PANIC:').length
      const before = await countPanics()
      await keepFull(disks.log)
      if ((await countPanics()) === before) throw new Error('PostgreSQL had room for its log all the time')
    },
  },
  {
    name: 'disk of the archive full for 3 s',
    bounds: onBundled,
    make: async ({ service, disks }) => {
      const cluster = clusterIn(service.data)
      let kept: string[] = []
      await keepFull(disks.archive, async () => {
        await until('segments wait for the archive', async () => (await waitingSegments(cluster)).length > 2)
        kept = await waitingSegments(cluster)
      })
      await until('they are archived', async () => {
        const waiting = await waitingSegments(cluster)
        return !kept.some((name) => waiting.includes(name))
      })
    },
  },
  {
    name: 'disk of the database read-only for 3 s, as PostgreSQL is killed',
    bounds: onBundled,
    make: async ({ service, disks, remount }) => {
      const parent = await service.postmaster()
      for (const pid of [parent, ...(await childrenOf(parent)).map(({ pid }) => pid)]) signal(pid, 'SIGKILL')
      // Busy while anybody has a file of it open.
      await until('the disk is read-only', async () => {
        try {
          remount(disks.data, 'ro')
          return true
        } catch {
          return false
        }
      })
      await after(lastsOnDiskMs)
      remount(disks.data, 'rw')
    },
  },
  {
    name: 'disk of the backups full',
    bounds: onBundled,
    make: ({ service, disks }) => failCommand(service, 'ENOSPC', 'backup', join(disks.target, 'backup.tar')),
  },
  {
    name: 'disk of the backups read-only',
    bounds: onBundled,
    make: async ({ service, disks, remount }) => {
      remount(disks.target, 'ro')
      await failCommand(service, 'EROFS', 'backup', join(disks.target, 'backup.tar'))
      remount(disks.target, 'rw')
    },
  },
  {
    name: 'disk of temporary files full',
    bounds: onBundled,
    make: async ({ service, disks, place }) => {
      await service.give('backup', join(place, 'backup.tar'))
      await keepFull(disks.temporary, () =>
        failCommand(service, 'ENOSPC', 'backup', 'verify', join(place, 'backup.tar')),
      )
    },
  },
]

/** What a broken disk answers while PostgreSQL writes, and by which of its words it is seen that the fault was met. */
type FileFault = { name: string; fails: Parameters<FailingFiles['fail']>; says: string; provoke?: string }
const fileFaults: readonly FileFault[] = [
  {
    name: 'EIO on flushing the log',
    fails: ['EIO', ['sync'], '/pg_wal/'],
    says: 'PANIC:  could not fdatasync file',
  },
  {
    name: 'EIO on writing the log',
    fails: ['EIO', ['write'], '/pg_wal/'],
    says: 'PANIC:  could not write to log file',
  },
  {
    name: 'EIO on writing tables for 3 s',
    fails: ['EIO', ['write'], '/base/'],
    says: 'could not write blocks',
  },
  { name: 'EIO on reading tables for 3 s', fails: ['EIO', ['read'], '/base/'], says: 'could not read blocks' },
  {
    name: 'EIO on flushing tables',
    fails: ['EIO', ['sync'], '/base/'],
    says: 'PANIC:  could not fsync file',
    provoke: 'checkpoint',
  },
  {
    name: 'disk of tables read-only for 3 s',
    fails: ['EROFS', ['write', 'sync'], '/base/'],
    says: 'Read-only file system',
  },
]

export const faultsOfFiles: readonly BoundedFault<FilesGround>[] = fileFaults.map(({ name, fails, says, provoke }) => ({
  name,
  bounds: overNetwork,
  make: async ({ postgres, files }) => {
    const before = postgres.said().length
    files.fail(...fails)
    try {
      if (provoke) await postgres.ask(provoke).catch(() => {})
      await until(`PostgreSQL says "${says}"`, async () => postgres.said().slice(before).includes(says))
      if (!says.startsWith('PANIC')) await after(lastsOnDiskMs)
    } finally {
      files.heal()
    }
    // It recovers by itself, or is started again by whatever looks after it.
    await until('PostgreSQL is back', () => postgres.revive())
  },
}))

export const faultsOfCommands: readonly BoundedFault<CommandsGround>[] = [
  {
    name: 'EIO on writing a backup',
    bounds: onBundled,
    make: async ({ service, files, place }) => {
      files.fail('EIO', ['write'], '/backups/')
      await mkdir(join(place, 'backups'))
      await failCommand(service, 'EIO', 'backup', join(place, 'backups', 'backup.tar'))
      files.heal()
    },
  },
  {
    name: 'EIO on writing temporary files',
    bounds: onBundled,
    make: async ({ service, files, place, temporary }) => {
      await service.give('backup', join(place, 'backup.tar'))
      files.fail('EIO', ['write'], `${temporary}/`)
      await failCommand(service, 'EIO', 'backup', 'verify', join(place, 'backup.tar'))
      files.heal()
    },
  },
]

export const laggingFailovers: readonly BoundedFault<NetworkGround>[] = [
  {
    name: 'failover to a standby that lags by a second',
    bounds: overNetwork,
    make: async (ground, lose) => {
      const { primary, standby } = ground
      const since = performance.now()
      const [written] = await primary.ask('select pg_current_wal_flush_lsn()::text as place')
      await until('the standby has what was answered', async () => {
        const [row] = await standby.ask(`select pg_last_wal_receive_lsn() >= '${written?.place}' as "isThere"`)
        return row?.isThere === true
      })
      await standby.ask("alter system set primary_conninfo = ''")
      await standby.ask('select pg_reload_conf()')
      await after(1000)
      await failOver(ground, () => lose(since, performance.now()))
    },
  },
]

export const returns: readonly BoundedFault<RestoreGround>[] = [
  {
    name: 'restore to a moment, and go on there',
    // The service is stopped meanwhile.
    bounds: onBundled,
    make: async ({ service, place }, lose) => {
      const backup = join(place, 'backup.tar')
      await service.give('backup', backup, '--with-key')
      await after(1000)
      const since = performance.now()
      // The next whole millisecond: what was answered before this one began is in it.
      const moment = new Date(Date.now() + 1).toISOString()
      await after(2000)
      await service.stop()
      lose(since, performance.now())
      service.use(join(place, 'restored'))
      await service.give('restore', backup, '--to-time', moment)
      await service.start()
    },
  },
]

/** Takes all that is free. */
async function fill(folder: string): Promise<void> {
  const file = await open(join(folder, 'filler'), 'a')
  const chunk = Buffer.alloc(64 * 1024)
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(folder)
      if (bavail === 0) return
      await file.write(chunk, 0, Math.min(chunk.length, bavail * bsize))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}
