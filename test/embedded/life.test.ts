import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOn } from '../../server/embedded/open.ts'
import { ask, opener, pidOf, runs, stage, until, usersOf } from './stage.ts'

test('The first start makes a cluster with our settings, and its last user stops it.', async () => {
  const { machine, folder } = await stage()
  const sentences: string[] = []
  const { connection, how, close } = await openOn(machine, { folder, progress: (sentence) => sentences.push(sentence) })
  expect(how).toBe('created')
  // On a busy machine it may also say that it waits for PostgreSQL.
  expect(sentences.filter((sentence) => !sentence.startsWith('Waiting'))).toEqual([
    'Preparing the bundled PostgreSQL (first start) …',
  ])
  expect(connection).toMatchObject({ user: 'plumbline', database: 'plumbline' })

  const wanted = {
    server_version_num: expect.stringMatching(/^18/),
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: expect.stringMatching(/^[1-9]\d*[MG]B$/),
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    data_checksums: 'on',
    client_connection_check_interval: '500ms',
    TimeZone: 'UTC',
    server_encoding: 'UTF8',
  }
  const names = Object.keys(wanted).map((name) => `'${name}', current_setting('${name}')`)
  expect(await ask(connection, `json_build_object(${names})`)).toEqual(wanted)
  expect(await ask(connection, `lower('ÄÖÜÉŁ')`)).toBe('äöüéł')
  expect(await ask(connection, 'select rolsuper from pg_roles where rolname = current_user')).toBe(false)
  const cluster = join(folder, 'postgres', 'cluster')
  expect(await readFile(join(cluster, 'pg_hba.conf'), 'utf8')).toBe(
    'local all all scram-sha-256\nlocal replication plumbline_backup scram-sha-256\n',
  )
  expect(await runs(cluster)).toBe(true)
  await Promise.all([close(), close()])
  expect(await runs(cluster)).toBe(false)
})

test('A later start finds the same cluster, in less time than the first needs to create it.', async () => {
  const { machine, folder } = await stage()
  const begun = performance.now()
  const first = await openOn(machine, { folder })
  const creation = performance.now() - begun
  const identifier = 'select system_identifier::text from pg_control_system()'
  const id = await ask(first.connection, identifier)
  await first.close()

  const before = performance.now()
  const second = await openOn(machine, { folder })
  const took = performance.now() - before
  expect(second.how).toBe('started')
  expect(await ask(second.connection, identifier)).toBe(id)
  expect(took).toBeLessThan(creation)
  await second.close()
})

test('A process killed with -9 leaves PostgreSQL running, and the next start attaches to it.', async () => {
  const { machine, folder } = await stage()
  const killed = opener(folder, machine.shared)
  expect(await killed.opened()).toMatchObject({ how: 'created' })
  const cluster = join(folder, 'postgres', 'cluster')
  const pid = await pidOf(cluster)
  await killed.kill()

  const next = await openOn(machine, { folder })
  expect(next.how).toBe('attached')
  expect(await pidOf(cluster)).toBe(pid)
  // PostgreSQL sees a moment later that the killed one is gone.
  await until(async () => (await usersOf(next.connection)) === 1)
  await next.close()
  expect(await runs(cluster)).toBe(false)
})

test('A user keeps PostgreSQL running when another one closes; the last one stops it.', async () => {
  const { machine, folder } = await stage()
  const cluster = join(folder, 'postgres', 'cluster')
  const server = opener(folder, machine.shared)
  expect(await server.opened()).toMatchObject({ how: 'created' })
  const command = await openOn(machine, { folder })
  expect(command.how).toBe('attached')

  await server.close()
  expect(await ask(command.connection, 'select 1')).toBe(1)
  await command.close()
  expect(await runs(cluster)).toBe(false)
})

test('Those who come while the last one stops PostgreSQL start it again.', async () => {
  const { machine, folder } = await stage()
  const comeAndGo = async () => {
    for (let turn = 0; turn < 6; turn++) {
      const { connection, close } = await openOn(machine, { folder })
      expect(await ask(connection, 'select 1')).toBe(1)
      await close()
    }
  }
  await Promise.all([comeAndGo(), comeAndGo(), comeAndGo()])
  expect(await runs(join(folder, 'postgres', 'cluster'))).toBe(false)
})

test('When somebody else restarts PostgreSQL, its users are users again.', async () => {
  const { machine, folder } = await stage()
  const cluster = join(folder, 'postgres', 'cluster')
  const steady = await openOn(machine, { folder })
  process.kill(await pidOf(cluster), 'SIGINT')
  await until(async () => !(await runs(cluster)))

  const other = await openOn(machine, { folder })
  expect(other.how).toBe('started')
  await until(async () => (await usersOf(other.connection)) === 2)
  await other.close()
  expect(await ask(steady.connection, 'select 1')).toBe(1)
  await steady.close()
  expect(await runs(cluster)).toBe(false)
})

test('A process that forgets to close still ends by itself.', async () => {
  const { machine, folder } = await stage()
  const forgetful = opener(folder, machine.shared, { afterwards: 'go' })
  expect(await forgetful.opened()).toMatchObject({ how: 'created' })
  expect(await forgetful.exited).toEqual([0, null])
  expect(await runs(join(folder, 'postgres', 'cluster'))).toBe(true)
})
