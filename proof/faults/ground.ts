import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Network, openNetwork } from '../network.ts'
import { databaseUrl, makePostgres, type Postgres } from '../postgres.ts'
import { makeFolder, type Service, startService } from '../service.ts'

/** What a fault is made on: a service, and what it stands on. */
export type Ground = { service: Service; close(): Promise<void> }

/** A service that comes to a PostgreSQL of the run's own over a network that fails at will. */
export type NetworkGround = Ground & { network: Network; primary: Postgres; standby: Postgres }

/** T and C of docs/reliability/liveness.md. */
export const limits = { STATEMENT_TIMEOUT_MS: '500', CONNECT_TIMEOUT_MS: '800' }

/** Whatever is answered is on two servers, of which the second follows the first. */
export async function openNetworkGround(): Promise<NetworkGround> {
  const primary = await makePostgres()
  await primary.stop()
  const standby = await primary.makeStandby()
  await primary.start()
  await standby.start()
  await primary.ask("alter system set synchronous_standby_names = 'standby'")
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

/** Null where the package libfaketime is not installed. */
export async function openClockGround(): Promise<ClockGround | null> {
  if (library === undefined) return null
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

/** A service with its bundled PostgreSQL on a disk of 400 MB, and another one of 8 MB for its backups. */
export type DiskGround = Ground & { folder: string; target: string }

/** Null where this user may not mount a disk. */
export async function openDiskGround(): Promise<DiskGround | null> {
  const mounted: string[] = []
  const mount = async (megabytes: number): Promise<string> => {
    const folder = await makeFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder], { stdio: 'pipe' })
    mounted.push(folder)
    return folder
  }
  const unmount = async (): Promise<void> => {
    for (const folder of mounted) {
      execFileSync('umount', ['--lazy', folder])
      await rm(folder, { recursive: true, force: true })
    }
  }
  try {
    const folder = await mount(400)
    const target = await mount(8)
    const data = join(folder, 'data')
    await mkdir(data)
    await chmod(data, 0o755)
    const settings = { ...limits, PLUMBLINE_DISK_RESERVE_MB: '0' }
    const service = await startService(undefined, { folder: data, settings })
    return {
      ...{ service, folder, target },
      close: async () => {
        await service.close()
        await unmount()
      },
    }
  } catch (error) {
    await unmount()
    if (mounted.length === 0) return null
    throw error
  }
}
