import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOn } from '../../server/embedded/open.ts'
import { ask, clustersIn, opener, pidOf, runs, stage, until } from './stage.ts'

const unfinishedIn = async (home: string): Promise<string[]> =>
  (await readdir(home).catch(() => [])).filter((name) => name.startsWith('.unfinished-'))

test('Two first starts at once make one cluster, and both have it.', async () => {
  const { root, machine, folder } = await stage()
  const both = [opener(folder, machine.shared), opener(folder, machine.shared)] as const
  const [one, other] = await Promise.all([both[0].opened(), both[1].opened()])

  expect([one.how, other.how].filter((how) => how === 'created')).toHaveLength(1)
  expect(one.connection).toEqual(other.connection)
  expect(await ask(one.connection!, 'select 1')).toBe(1)
  expect(await clustersIn(root)).toHaveLength(1)
  expect(await unfinishedIn(join(folder, 'postgres'))).toEqual([])

  await Promise.all([both[0].close(), both[1].close()])
  expect(await runs(join(folder, 'postgres', 'cluster'))).toBe(false)
})

test('The service is let in by a password that is drawn for its folder, and may do nothing but own its tables [V13.2.2] [V13.2.3]', async () => {
  const places = [await stage(), await stage()]
  const both = places.map(({ folder, machine }) => opener(folder, machine.shared))
  const [one, other] = await Promise.all(both.map((place) => place.opened()))
  const passwords = [one, other].map((opened) => opened?.connection?.password)
  for (const password of passwords) expect(password).toMatch(/^[0-9a-f]{64}$/)
  expect(passwords[0]).not.toBe(passwords[1])
  const rights = 'rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls'
  expect(await ask(one?.connection as never, `select ${rights} from pg_roles where rolname = current_user`)).toBe(false)
  const more =
    "pg_has_role(current_user, 'pg_read_server_files', 'member') or pg_has_role(current_user, 'pg_execute_server_program', 'member')"
  expect(await ask(one?.connection as never, `select ${more}`)).toBe(false)
  await Promise.all(both.map((place) => place.close()))
})

test('Killed with -9 while the cluster is made, nothing has to be repaired and nothing is left over.', async () => {
  const { machine, folder } = await stage()
  const home = join(folder, 'postgres')
  const killed = opener(folder, machine.shared)
  await until(async () => (await unfinishedIn(home)).length > 0)
  await killed.kill()
  expect(await unfinishedIn(home)).toHaveLength(1)
  expect(await readdir(home)).not.toContain('cluster')

  const next = await openOn(machine, { folder })
  expect(next.how).toBe('created')
  expect(await ask(next.connection, 'select 1')).toBe(1)
  expect(await unfinishedIn(home)).toEqual([])
  await next.close()
})

test('A process id left by a killed PostgreSQL, and given to another program since, stops nobody.', async () => {
  const { machine, folder } = await stage()
  const first = await openOn(machine, { folder })
  const cluster = join(folder, 'postgres', 'cluster')
  const file = join(cluster, 'postmaster.pid')
  const left = (await readFile(file, 'utf8')).replace(/^\d+/, String(process.pid))
  process.kill(await pidOf(cluster), 'SIGKILL')
  await until(async () => !(await runs(cluster)))
  await writeFile(file, left)

  const next = await openOn(machine, { folder })
  expect(next.how).toBe('started')
  expect(await ask(next.connection, 'select 1')).toBe(1)
  await next.close()
  await first.close()
})
