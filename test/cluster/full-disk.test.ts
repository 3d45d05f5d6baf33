import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stopServer } from '#server/embedded/processes.ts'
import { send } from '../stage/http.ts'
import type { Process } from '../stage/process.ts'
import { eventually } from '../stage/wait.ts'
import { expectWhole, headersOf, metricOf, type Own, openOwn, startLoad, untilBack } from './own-database.ts'

/** A disk of 400 MB that fills up under load and is freed: the bundled database on a tmpfs, which root alone can mount. */
const disk = await mkdtemp(join(tmpdir(), 'plumbline-disk-'))
await chmod(disk, 0o711)
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=0711', 'tmpfs', disk]).status === 0
if (!mounted) console.warn('NOT TRIED: a full disk; a tmpfs cannot be mounted by this user')
const filler = join(disk, 'filler')

let own: Own
beforeAll(async () => {
  if (!mounted) return
  await mkdir(join(disk, 'data'), { mode: 0o711 })
  own = await openOwn({}, join(disk, 'data'))
})
afterAll(async () => {
  if (mounted) {
    await stopServer(own.cluster)
    await own.stage.clear()
    execFileSync('umount', ['--lazy', disk])
  }
  await rm(disk, { recursive: true, force: true })
})

/** Fills the disk until so many bytes are free. */
async function fillTo(freeBytes: number): Promise<void> {
  const file = await open(filler, 'a')
  const chunk = Buffer.alloc(64 * 1024)
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(disk)
      if (bavail * bsize <= freeBytes) return
      await file.write(chunk, 0, Math.min(chunk.length, bavail * bsize - freeBytes))
    }
  } catch (error) {
    // PostgreSQL took the rest meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}

const free = (): Promise<void> => rm(filler, { force: true })

const ready = async ({ url }: Process) => (await send(url, { method: 'GET', path: '/readyz' })).body
const list = ({ url }: Process, agent?: Agent) =>
  send(url, { method: 'GET', path: '/v1/clients', headers: headersOf(own.token), ...(agent && { agent }) })
const create = ({ url }: Process, agent: Agent) =>
  send(url, { method: 'POST', path: '/v1/clients', headers: headersOf(own.token), body: '{"name":"A"}', agent })

describe.runIf(mounted).each(['1', '2'])('With %s at work', (count) => {
  test('Below the reserve writes are refused on every connection and reads go on; with room again they are let in.', async () => {
    const served = await own.start({ PROCESSES: count })
    const to = { url: served.url, token: own.token }
    const load = startLoad(to, `reserve${count}`)
    const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    try {
      await eventually(async () => expect(load.acknowledged.length).toBeGreaterThan(20))
      expect(await metricOf(served.url, 'plumbline_disk_free_bytes{folder="data"}')).toBeGreaterThan(200e6)
      await fillTo(15e6)
      await eventually(async () => {
        for (const agent of agents)
          expect(await create(served, agent)).toMatchObject({
            status: 503,
            headers: { 'retry-after': '10' },
            body: { code: 'unavailable', detail: 'There is too little room for writes at the moment. Reads go on.' },
          })
      })
      expect(await ready(served)).toEqual({ status: 'ready', writes: 'refused', why: 'disk' })
      for (const agent of agents) expect((await list(served, agent)).status).toBe(200)
      // Several processes look once a second each, and the metric is that of the primary.
      await eventually(async () =>
        expect(await metricOf(served.url, 'plumbline_disk_free_bytes{folder="data"}')).toBeLessThan(25e6),
      )
      // The operator's commands go on: this one writes.
      expect((await own.give('company', 'set', '1', '--name', `A${count}`)).code).toBe(0)
      await free()
      await untilBack(to)
      await load.settle()
      await eventually(async () => expect(await ready(served)).toEqual({ status: 'ready' }))
      expect([...load.seen].toSorted()).toEqual([201, 503])
      await expectWhole(own, `reserve${count}`, load.names)
      await eventually(async () =>
        expect(served.log()).toMatch(/nearly full: writes are refused.*\n(.*\n)*.*has room: writes are let in/),
      )
    } finally {
      for (const agent of agents) agent.destroy()
      await free()
      expect(await served.stop()).toBe(0)
    }
  })

  test('Without a reserve the disk fills to its last byte: freed, the same process answers again, and nothing acknowledged is lost.', async () => {
    const served = await own.start({ PROCESSES: count, PLUMBLINE_DISK_RESERVE_MB: '0' })
    const to = { url: served.url, token: own.token }
    const load = startLoad(to, `full${count}`)
    try {
      await eventually(async () => expect(load.acknowledged.length).toBeGreaterThan(20))
      await fillTo(0)
      // PostgreSQL writes into what it had reserved, and then fails.
      await eventually(async () => {
        await fillTo(0)
        expect(load.seen).toContain(503)
      })
      await free()
      await untilBack(to)
      await load.settle()
      expect(await ready(served)).toEqual({ status: 'ready' })
      expect([...load.seen].filter((status) => status !== 201 && status !== 503)).toEqual([])
      await expectWhole(own, `full${count}`, load.names)
    } finally {
      await free()
      expect(await served.stop()).toBe(0)
    }
  })
})
