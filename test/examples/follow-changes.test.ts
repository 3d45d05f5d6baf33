import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const folder = join(import.meta.dirname, '../../examples/follow-changes')
const languages: [string, string][] = [
  [process.execPath, 'follow.ts'],
  ['python3', 'follow.py'],
]

test.each(languages)(
  '%s %s keeps a copy that is what the lists say, begun, gone on and begun anew',
  async (program, name) => {
    const own = await stage.company()
    const cwd = await mkdtemp(join(tmpdir(), 'plumbline-follow-'))
    const follow = async () => {
      await untilTold(stage)
      const env = { PATH: process.env.PATH ?? '', PLUMBLINE_URL: stage.url, PLUMBLINE_TOKEN: own.token }
      await promisify(execFile)(program, [join(folder, name), '--once'], { cwd, env })
      const { copy } = JSON.parse(await readFile(join(cwd, 'copy.json'), 'utf8'))
      const { body } = await own.get('/v1/clients')
      expect(Object.values(copy.clients)).toEqual(body.data)
      return body.meta.total
    }
    const first = await own.create('clients', { name: 'A' })
    expect(await follow()).toBe(1)
    await own.create('clients', { name: 'B' })
    await own.call('PATCH', `/v1/clients/${first}`, { body: { name: 'A2' } })
    await own.create('clients', { name: 'C' })
    expect(await follow()).toBe(3)
    await own.call('DELETE', `/v1/clients/${first}`)
    expect(await follow()).toBe(2)
    // As after the database went back to an earlier state.
    await stage.sql('update log_epochs set epoch = epoch + 100')
    try {
      await own.create('clients', { name: 'D' })
      expect(await follow()).toBe(3)
    } finally {
      await stage.sql('update history set epoch = 1')
      await stage.sql('update log_epochs set epoch = epoch - 100')
      await stage.sql('delete from log_marks')
      await rm(cwd, { recursive: true })
    }
  },
)
