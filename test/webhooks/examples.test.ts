import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { replayOne } from '#server/service/webhooks.ts'
import { findFreePort } from '../../proof/free-port.ts'
import { type HookStage, openHookStage } from './stage.ts'

/** The receivers that the documents show, run as they are. */
const folder = join(import.meta.dirname, '../../examples/webhooks')
const hasPython = spawnSync('python3', ['--version']).status === 0

let stage: HookStage
beforeAll(async () => {
  stage = await openHookStage({ WEBHOOK_TIMEOUT_MS: '3000' })
})
afterAll(() => stage.close())

const receivers = [
  { name: 'receiver.ts', program: process.execPath, isThere: true },
  { name: 'receiver.py', program: 'python3', isThere: hasPython },
]
test.each(receivers)(
  '$name keeps a copy that is right, however often messages come',
  async ({ name, program, isThere }) => {
    if (!isThere) return
    const own = await stage.company()
    const port = await findFreePort()
    const { id, secret } = await stage.hook(own, `http://127.0.0.1:${port}/`)
    const file = await receive(program, [join(folder, name)], { secret, port })

    const client = await own.create('clients', { name: 'Quay Trust' })
    const other = await own.create('clients', { name: 'Mill Trust' })
    await own.call('PATCH', `/v1/clients/${client}`, { body: { notes: 'Pays late' } })
    await own.call('DELETE', `/v1/clients/${other}`)
    await stage.sendAll()
    const copy = copyIn(file)
    expect(copy).toMatchObject([
      { records: 'clients', record_id: client, version: 2, is_gone: 0 },
      { records: 'clients', record_id: other, version: 2, is_gone: 1 },
    ])
    const { body } = await own.get(`/v1/clients/${client}`)
    expect(JSON.parse(copy[0]?.record as string)).toEqual(body.data)

    const by = { actor: own.actor, keys: stage.app.secret, now: new Date() }
    await stage.inTransaction((transaction) =>
      replayOne(transaction, by, id, { from: new Date(Date.now() - 3_600_000), keptDays: 30 }),
    )
    await stage.sendAll()
    expect(copyIn(file)).toEqual(copy)
    const answers = await stage.sql(
      'select status, count(*)::int from webhook_attempts where endpoint_id = $1 group by 1',
      id,
    )
    expect(answers).toEqual([{ status: 204, count: 8 }])

    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"type":"webhooks.test"}' })
    expect(forged.status).toBe(401)
  },
)

const copyIn = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare('select * from copies order by record_id').all()
  database.close()
  return rows.map((row) => ({ ...row }))
}

async function receive(program: string, words: string[], { secret, port }: { secret: string; port: number }) {
  const own = await mkdtemp(join(tmpdir(), 'plumbline-receiver-'))
  const file = join(own, 'copy.sqlite')
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret }
  const child: ChildProcess = spawn(program, [...words, file, String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'exit')
    await rm(own, { recursive: true, force: true })
  })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return file
}
