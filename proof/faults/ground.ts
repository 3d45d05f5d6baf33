import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterIn } from '../disk/files.ts'
import { type Network, openNetwork } from '../network.ts'
import { databaseUrl, makePostgres, type Postgres } from '../postgres.ts'
import { makeFolder, type Service, startService } from '../service.ts'
import { buildFailingFiles, type FailingFiles } from './failing-files.ts'

/** What a fault is made on: a service, and what it stands on. */
export type Ground = { service: Service; close(): Promise<void> }

/** Why a ground cannot be had on this machine. */
export type Lacking = { lacks: string }

/** A service that comes to a PostgreSQL of the run's own over a network that fails at will. */
export type NetworkGround = Ground & { network: Network; primary: Postgres; standby: Postgres }

/** T and C of docs/reliability/liveness.md. */
export const limits = { STATEMENT_TIMEOUT_MS: '500', CONNECT_TIMEOUT_MS: '800', LOG_LEVEL: 'error', LOG_FORMAT: 'json' }

/** Whatever is answered is on two servers, of which the second follows the first. */
export const openNetworkGround = (): Promise<NetworkGround> => openPair('standby')

/** What is answered is on the first server, and a moment later on the second one, which follows it. */
export const openLaggingGround = (): Promise<NetworkGround> => openPair('')

async function openPair(synchronous: string): Promise<NetworkGround> {
  const primary = await makePostgres()
  await primary.stop()
  const standby = await primary.makeStandby()
  await primary.start()
  await standby.start()
  await primary.ask(`alter system set synchronous_standby_names = '${synchronous}'`)
  await primary.ask('select pg_reload_conf()')
  const network = await openNetwork(primary.socket)
  const service = await startService(undefined, { settings: { ...limits, DATABASE_URL: databaseUrl(network.port) } })
  return {
    ...{ service, network, primary, standby },
    close: async () => {
      await service.close()
      await network.close()
      await Promise.all([primary.close(), standby.close()])
    },
  }
}

/** A service whose clock, and that of its PostgreSQL, can be set. */
export type ClockGround = Ground & { set(whose: 'service' | 'database', by: string): void }

const library = readdirSync('/usr/lib', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => join('/usr/lib', name, 'faketime/libfaketime.so.1'))
  .find((path) => existsSync(path))

export async function openClockGround(): Promise<ClockGround | Lacking> {
  if (library === undefined) return { lacks: 'the package libfaketime is not installed' }
  const folder = await makeFolder()
  const fileOf = (whose: 'service' | 'database'): string => join(folder, whose)
  const set: ClockGround['set'] = (whose, by) => writeFileSync(fileOf(whose), `${by}\n`)
  const clockOf = (whose: 'service' | 'database') => ({
    ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: fileOf(whose), FAKETIME_NO_CACHE: '1' },
    // Time-outs count by the clock that nobody sets.
    ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DISABLE_SHM: '1' },
  })
  for (const whose of ['service', 'database'] as const) set(whose, '+0')
  const postgres = await makePostgres({}, clockOf('database'))
  const network = await openNetwork(postgres.socket)
  const settings = { ...limits, DATABASE_URL: databaseUrl(network.port), ...clockOf('service') }
  const service = await startService(undefined, { settings })
  return {
    ...{ service, set },
    close: async () => {
      await service.close()
      await network.close()
      await postgres.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The disks of a service with its bundled PostgreSQL, each a folder. */
const diskMegabytes = { data: 400, log: 256, archive: 64, target: 8, temporary: 8 } as const
type Disks = { readonly [disk in keyof typeof diskMegabytes]: string }

/** A service whose folders are on small disks of their own; its PostgreSQL archives each second. */
export type DiskGround = Ground & {
  disks: Disks
  /** A folder with room. */
  place: string
  remount(folder: string, how: 'ro' | 'rw'): void
}

export async function openDiskGround(): Promise<DiskGround | Lacking> {
  const mounted: string[] = []
  const mount = async (megabytes: number): Promise<string> => {
    const folder = await makeFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder], { stdio: 'pipe' })
    mounted.push(folder)
    return folder
  }
  const place = await makeFolder()
  const clear = async (): Promise<void> => {
    for (const folder of mounted) {
      execFileSync('umount', ['--lazy', folder])
      await rm(folder, { recursive: true, force: true })
    }
    await rm(place, { recursive: true, force: true })
  }
  try {
    const disks = {} as { -readonly [disk in keyof Disks]: string }
    for (const disk of Object.keys(diskMegabytes) as (keyof Disks)[]) disks[disk] = await mount(diskMegabytes[disk])
    const data = join(disks.data, 'data')
    await mkdir(data)
    await chmod(data, 0o755)
    const settings = {
      ...{ ...limits, PLUMBLINE_DISK_RESERVE_MB: '0', TMPDIR: disks.temporary },
      ...{ PLUMBLINE_ARCHIVE: join(disks.archive, 'archive'), PLUMBLINE_ARCHIVE_SECONDS: '1' },
    }
    const service = await startService(undefined, { folder: data, settings })
    await service.stop()
    await moveLog(clusterIn(data), join(disks.log, 'log'))
    await service.start()
    return {
      ...{ service, disks, place },
      remount: (folder, how) => void execFileSync('mount', ['-o', `remount,${how}`, folder], { stdio: 'pipe' }),
      close: async () => {
        await service.close()
        await clear()
      },
    }
  } catch (error) {
    await clear()
    if (mounted.length === 0) return { lacks: 'this user may not mount a disk' }
    throw error
  }
}

/** Puts PostgreSQL's log into another folder, as `initdb --waldir` has it, while nothing runs. */
async function moveLog(cluster: string, to: string): Promise<void> {
  const { uid, gid } = await stat(cluster)
  const from = join(cluster, 'pg_wal')
  execFileSync('cp', ['-pR', from, to])
  await rm(from, { recursive: true })
  await symlink(to, from)
  await chown(to, uid, gid)
}

/** Builds what makes calls on files fail, in a folder with room that `close` removes. */
async function openFailingFiles(): Promise<{ place: string; files: FailingFiles; close(): Promise<void> } | Lacking> {
  const place = await makeFolder()
  const close = (): Promise<void> => rm(place, { recursive: true, force: true })
  const files = buildFailingFiles(place)
  if (files) return { place, files, close }
  await close()
  return { lacks: 'no C compiler' }
}

/** A service, and a PostgreSQL of the run's own, whose files fail at will. */
export type FilesGround = Ground & { postgres: Postgres; files: FailingFiles; place: string }

export async function openFilesGround(): Promise<FilesGround | Lacking> {
  const failing = await openFailingFiles()
  if ('lacks' in failing) return failing
  const { place, files, close } = failing
  // So few pages in memory that pages are read and written all the time.
  const postgres = await makePostgres({ shared_buffers: '1MB', max_wal_senders: '0' }, files.environment)
  const network = await openNetwork(postgres.socket)
  const settings = { ...limits, DATABASE_URL: databaseUrl(network.port) }
  const service = await startService(undefined, { settings })
  return {
    ...{ service, postgres, files, place },
    close: async () => {
      files.heal()
      await service.close()
      await network.close()
      await postgres.close()
      await close()
    },
  }
}

/** A service with its bundled PostgreSQL, whose own files fail at will: those of the commands, not of PostgreSQL. */
export type CommandsGround = Ground & { files: FailingFiles; place: string; temporary: string }

export async function openCommandsGround(): Promise<CommandsGround | Lacking> {
  const failing = await openFailingFiles()
  if ('lacks' in failing) return failing
  const { place, files, close } = failing
  const temporary = join(place, 'temporary')
  await mkdir(temporary)
  const service = await startService(undefined, { settings: { ...limits, ...files.environment, TMPDIR: temporary } })
  return {
    ...{ service, files, place, temporary },
    close: async () => {
      files.heal()
      await service.close()
      await close()
    },
  }
}

/** A service with its bundled PostgreSQL that archives its log, and can be brought back to a moment. */
export type RestoreGround = Ground & { place: string }

export async function openRestoreGround(): Promise<RestoreGround> {
  const place = await makeFolder()
  const settings = { ...limits, PLUMBLINE_ARCHIVE: join(place, 'archive'), PLUMBLINE_ARCHIVE_SECONDS: '1' }
  const service = await startService(undefined, { settings })
  const first = service.data
  return {
    ...{ service, place },
    close: async () => {
      await service.close()
      for (const folder of [first, place]) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
