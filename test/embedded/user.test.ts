import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOn } from '../../server/embedded/open.ts'
import { shell } from '../../server/embedded/processes.ts'
import { ask, isRoot, stage } from './stage.ts'

/** Whom the operator made for it: any user that a system has from the beginning. */
const user = 'daemon'
const identityOf = async (name: string): Promise<number> => {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((one) => one.startsWith(`${name}:`))
  return Number(line?.split(':')[2])
}

test.skipIf(!isRoot)('Root runs PostgreSQL as the user of the settings.', async () => {
  const { machine, folder } = await stage()
  const { connection, runsAs, close } = await openOn(machine, { folder, user })
  expect(runsAs).toEqual({ name: user, isShared: false })
  const uid = await identityOf(user)
  expect((await stat(join(folder, 'postgres'))).uid).toBe(uid)
  const pid = (await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]
  expect((await stat(`/proc/${pid}`)).uid).toBe(uid)
  expect(await ask(connection, 'select 1')).toBe(1)
  await close()
})

test.skipIf(!isRoot)('Without one it is nobody, whom other programs use too.', async () => {
  const { machine, folder } = await stage()
  const { runsAs, close } = await openOn(machine, { folder })
  expect(runsAs).toEqual({ name: 'nobody', isShared: true })
  await close()
})

test.skipIf(!isRoot)(
  'A user that is not there, and root, are refused in a sentence that says what to do.',
  async () => {
    const { machine, folder } = await stage()
    await expect(openOn(machine, { folder, user: 'no-such-user' })).rejects.toThrow(
      'There is no user "no-such-user": make it ("useradd --system no-such-user"), or leave PLUMBLINE_DATABASE_USER out.',
    )
    await expect(openOn(machine, { folder, user: 'root' })).rejects.toThrow(
      /set PLUMBLINE_DATABASE_USER to another user/,
    )
  },
)

test.skipIf(!isRoot)(
  'A database of nobody goes to the user by a command that is named, with every record.',
  async () => {
    const { machine, folder } = await stage()
    const first = await openOn(machine, { folder })
    const id = await ask(first.connection, 'select system_identifier::text from pg_control_system()')
    await first.close()
    const refused = await openOn(machine, { folder, user }).catch((error: Error) => error.message)
    const command = /run "(chown -hR daemon .*)"\.$/.exec(String(refused))?.[1]
    const root = { uid: 0, gid: 0, name: 'root', other: false }
    expect(await shell(root, command ?? 'false')).toMatchObject({ ok: true })
    const second = await openOn(machine, { folder, user })
    expect(second.runsAs).toEqual({ name: user, isShared: false })
    expect(await ask(second.connection, 'select system_identifier::text from pg_control_system()')).toBe(id)
    await second.close()
  },
)
