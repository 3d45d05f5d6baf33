import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { version as program } from '#server/config/config.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, jsonOf, launcher, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage('migrated')
})
afterAll(() => stage.clear())

const version = { code: 0, out: `${program}\n`, err: '' }

describe('bin/plumbline', () => {
  test('works from any working directory, by a path that is absolute or not.', async () => {
    expect(await stage.start(['--version'], {}, launcher, '/').ended).toEqual(version)
    expect(await stage.start(['--version'], {}, relative(stage.folder, launcher)).ended).toEqual(version)
    expect(await stage.start([launcher, '--version'], {}, '/bin/sh', '/').ended).toEqual(version)
  })

  test('works through links, links to links, and found on the path.', async () => {
    const bin = join(stage.folder, 'bin dir')
    await mkdir(bin)
    await symlink(relative(bin, launcher), join(bin, 'first'))
    await symlink('first', join(bin, 'plumbline'))
    expect(await stage.start(['--version'], {}, join(bin, 'plumbline')).ended).toEqual(version)
    const onPath = { PATH: `${bin}:${process.env.PATH}` }
    expect(await stage.start(['-c', 'cd / && plumbline --version'], onPath, '/bin/sh').ended).toEqual(version)
  })

  test('passes words on as they are, and the exit code back.', async () => {
    const { connection, drop } = await freshDatabase()
    onTestFinished(drop)
    const more = { DATABASE_URL: urlOf(connection) }
    const give = (...words: string[]) => stage.start(words, more).ended
    const { code, out } = await give('company', 'create', '--name', ' A  "b" $c *', '--json')
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { company_id: 1 } })
    expect(jsonOf(await give('company', 'show', '1', '--json')).name).toBe('A  "b" $c *')
    expect(await give('company', 'show', '2')).toEqual({
      code: 1,
      out: '',
      err: 'There is no company 2. "plumbline company list" shows them.\n',
    })
  })

  test('A reader that goes away is no failure.', async () => {
    const { code, err } = await stage.start(['-c', `'${launcher}' config | head -n 1 >/dev/null`], {}, '/bin/sh').ended
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  test('uses a Node 24 of the machine where npm brought none, and says what to do where there is none.', async () => {
    const checkout = join(stage.folder, 'checkout')
    await mkdir(join(checkout, 'bin'), { recursive: true })
    const copy = join(checkout, 'bin', 'plumbline')
    await copyFile(launcher, copy)
    await copyFile(join(dirname(launcher), 'node-options'), join(checkout, 'bin', 'node-options'))
    const says = (sh: string) => stage.start([copy, '--version'], { PATH: sh, NODE_COMPILE_CACHE: '' }, '/bin/sh').ended

    const help = {
      code: 1,
      out: '',
      err: `plumbline needs Node 24 and its packages: run "npm ci" in ${checkout}, which brings both on Linux with glibc and on macOS.\n`,
    }
    const machine = join(stage.folder, 'machine')
    await mkdir(machine)
    for (const name of ['readlink', 'dirname']) await symlink(`/usr/bin/${name}`, join(machine, name))
    const node = (reported: string) =>
      writeFile(
        join(machine, 'node'),
        `#!/bin/sh\n[ "$1" = --version ] && echo ${reported} || echo "ran $* with $MALLOC_ARENA_MAX and $NODE_COMPILE_CACHE"\n`,
        {
          mode: 0o755,
        },
      )

    await node('v24.1.0')
    expect(await says(machine)).toEqual(help)
    await mkdir(join(checkout, 'node_modules', 'commander'), { recursive: true })
    expect(await says(machine)).toEqual({
      code: 0,
      out: `ran --disable-warning=ExperimentalWarning --max-semi-space-size=8 --heap-growing-percent=60 ${checkout}/server/commands/main.ts --version with 2 and ${checkout}/node_modules/.cache/plumbline/compiled\n`,
      err: '',
    })
    await node('v22.20.0')
    expect(await says(machine)).toEqual(help)
  })
})
