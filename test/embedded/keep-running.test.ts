import { spawn } from 'node:child_process'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { openOn } from '../../server/embedded/open.ts'
import { eventually } from '../stage/wait.ts'
import { ask, isRoot, pidOf, runs, stage, usersOf } from './stage.ts'

type Opened = Awaited<ReturnType<typeof openOn>>

/** What the owner of the database hears. */
async function keep(opened: Opened, stopping = new AbortController()) {
  const heard = { problems: [] as string[], starts: 0 }
  await opened.keepRunning({
    stopping: stopping.signal,
    onProblem: (sentence) => heard.problems.push(sentence),
    onStarted: () => heard.starts++,
  })
  return heard
}

const answers = (opened: Opened): Promise<void> =>
  eventually(async () => expect(await ask(opened.connection, '1')).toBe(1))

test('A server that is gone is started again, each time it is, once for all who use it, and stopped by the last.', async () => {
  const { machine, folder } = await stage()
  const cluster = join(folder, 'postgres', 'cluster')
  const [first, second] = [await openOn(machine, { folder }), await openOn(machine, { folder })]
  const heard = [await keep(first), await keep(second)]
  const starts = () => heard[0]!.starts + heard[1]!.starts
  for (const [count, signal] of (['SIGKILL', 'SIGINT', 'SIGKILL'] as const).entries()) {
    const pid = await pidOf(cluster)
    process.kill(pid, signal)
    await eventually(async () => expect(await pidOf(cluster)).not.toBe(pid))
    await answers(first)
    await eventually(async () => expect(await usersOf(first.connection)).toBe(2))
    // Told when the start has ended, after the server answers.
    await eventually(async () => expect(starts()).toBe(count + 1))
  }
  expect(heard.flatMap(({ problems }) => problems)).toEqual([])
  await first.close()
  expect(await runs(cluster)).toBe(true)
  await second.close()
  expect(await runs(cluster)).toBe(false)
})

// Orphans are found by /proc.
test.runIf(process.platform === 'linux')(
  'A server that was killed is started again although a session of it does not end.',
  async () => {
    const { machine, folder } = await stage()
    const cluster = join(folder, 'postgres', 'cluster')
    const opened = await openOn(machine, { folder })
    const heard = await keep(opened)
    const pid = await pidOf(cluster)
    const client = new Client(opened.connection)
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const stopped = rows[0].pid as number
    // It notices nothing, as one that waits for a lock whose holder was killed too.
    process.kill(stopped, 'SIGSTOP')
    process.kill(pid, 'SIGKILL')
    await answers(opened)
    expect(await pidOf(cluster)).not.toBe(pid)
    await eventually(async () => expect(heard).toEqual({ problems: [], starts: 1 }))
    await opened.close()
  },
)

describe('A server is not started again', () => {
  type Row = {
    why: string
    /** Done before PostgreSQL is killed. Returns what undoes it. */
    make(place: { folder: string; cluster: string; machine: Machine }): Promise<() => Promise<unknown>>
    says: RegExp
  }
  type Machine = Awaited<ReturnType<typeof stage>>['machine']
  const rows: Row[] = [
    {
      why: 'where its cluster is gone',
      async make({ cluster }) {
        await rename(cluster, `${cluster}.away`)
        return () => rename(`${cluster}.away`, cluster)
      },
      says: /^The database in .* is gone: put it back, or restore it from a backup into an empty folder/,
    },
    {
      why: 'on another cluster in its place',
      async make({ cluster, folder, machine }) {
        const other = await openOn(machine, { folder: `${folder}-other` })
        await other.close()
        await rename(cluster, `${cluster}.away`)
        await rename(join(`${folder}-other`, 'postgres', 'cluster'), cluster)
        return async () => {
          await rm(cluster, { recursive: true })
          await rename(`${cluster}.away`, cluster)
        }
      },
      says: /is another one \(its system identifier is \d+ and was \d+\)/,
    },
    {
      why: 'while a restore is at work in its folder',
      async make({ folder }) {
        const restore = spawn('sleep', ['60'])
        const place = join(folder, `.unfinished-${restore.pid}-aa`)
        await mkdir(place)
        return async () => {
          restore.kill()
          await rm(place, { recursive: true })
        }
      },
      says: /^Another process, such as "plumbline restore", is at work in /,
    },
    {
      why: 'with its socket where the service does not look',
      async make({ folder, cluster }) {
        const socket = join(folder, 'postgres', 'socket')
        // Others could get in, so another folder is taken.
        await chmod(socket, 0o755)
        return async () => {
          await chmod(socket, 0o700)
          process.kill(await pidOf(cluster), 'SIGINT')
        }
      },
      says: /^PostgreSQL was started with its socket in .*, and this service looks for it in /,
    },
  ]
  test.each(rows)('$why, which is said once; when that is over it is.', async ({ make, says }) => {
    const { machine, folder } = await stage()
    const cluster = join(folder, 'postgres', 'cluster')
    const opened = await openOn(machine, { folder })
    const heard = await keep(opened)
    const pid = await pidOf(cluster)
    const undo = await make({ folder, cluster, machine })
    process.kill(pid, 'SIGKILL')
    await eventually(async () => expect(heard.problems).toHaveLength(1))
    expect(heard).toEqual({ problems: [expect.stringMatching(says)], starts: 0 })
    await undo()
    await answers(opened)
    await eventually(async () => expect(heard.starts).toBe(1))
    expect(heard.problems).toHaveLength(1)
    await opened.close()
  })

  test('while the service stops.', async () => {
    const { machine, folder } = await stage()
    const cluster = join(folder, 'postgres', 'cluster')
    const opened = await openOn(machine, { folder })
    const stopping = new AbortController()
    const heard = await keep(opened, stopping)
    stopping.abort()
    process.kill(await pidOf(cluster), 'SIGINT')
    await eventually(async () => expect(await runs(cluster)).toBe(false))
    // Longer than the first three pauses.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    expect(await runs(cluster)).toBe(false)
    expect(heard).toEqual({ problems: [], starts: 0 })
    await opened.close()
  })
})

test('An archive that cannot be written any more does not keep it from starting.', async () => {
  const { root, machine, folder } = await stage()
  const archive = join(root, 'archive')
  const opened = await openOn(machine, { folder, archive: { folder: archive, seconds: 60 } })
  const heard = await keep(opened)
  await rm(archive, { recursive: true })
  // Neither root's PostgreSQL nor we ourselves get in.
  await mkdir(archive)
  if (isRoot) await chmod(archive, 0o700)
  else await chmod(archive, 0o500)
  process.kill(await pidOf(join(folder, 'postgres', 'cluster')), 'SIGKILL')
  await answers(opened)
  expect(await ask(opened.connection, "current_setting('archive_mode')")).toBe('on')
  await eventually(async () => expect(heard.starts).toBe(1))
  expect(heard.problems).toEqual([])
  await chmod(archive, 0o700)
  await opened.close()
})
