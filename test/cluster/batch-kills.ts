import { send } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import type { Stage } from '../stage/stage.ts'
import { pause } from '../stage/wait.ts'

export type Kills = { killed: number; unfinished: number; wrong: string[] }

/**
 * Batches that are killed with -9 somewhere in their middle, in both modes in turn. With `all` either every record is
 * there or none; in both the retry with the key completes the batch, without a record too many.
 */
export async function killBatches(stage: Stage, { kills, rows }: { kills: number; rows: number }): Promise<Kills> {
  const environment = {
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    LOG_LEVEL: 'silent',
  }
  const own = await stage.company({ plan: 'ENTERPRISE' })
  const found: Kills = { killed: 0, unfinished: 0, wrong: [] }
  const countOf = async (round: number): Promise<number> => {
    const [row] = await stage.sql<{ found: number }>(
      'select count(*) as found from clients where company_id = $1 and notes = $2 and deleted_at is null',
      ...[own.id, `round ${round}`],
    )
    return row?.found ?? 0
  }
  let server: Process | undefined
  const took = { all: 0, each: 0 }
  for (let round = 0; found.killed < kills; round++) {
    server ??= await startProcess(environment)
    const mode = round % 2 ? 'each' : 'all'
    const operations = Array.from({ length: rows }, (_, n) => ({
      ...{ op: 'create', records: 'clients' },
      body: { name: `Client ${n}`, notes: `round ${round}`, external_ref: `R-${round}-${n}` },
    }))
    const call = ({ url }: Process) =>
      send(url, {
        method: 'POST',
        path: '/v1/batch',
        headers: [
          ['Authorization', `Bearer ${own.token}`],
          ['Content-Type', 'application/json'],
          ['Idempotency-Key', `kill-${round}`],
        ],
        body: JSON.stringify({ mode, operations }),
      })
    if (took[mode] === 0) {
      // How long one takes here, so that a kill is somewhere inside it.
      const since = performance.now()
      await call(server)
      took[mode] = performance.now() - since
      continue
    }
    const answering = call(server).catch(() => undefined)
    await pause(Math.random() * took[mode])
    await server.kill()
    found.killed++
    await answering
    server = await startProcess(environment)
    await idle(stage)
    const afterKill = await countOf(round)
    if (afterKill < rows) found.unfinished++
    if (mode === 'all' && afterKill !== 0 && afterKill !== rows)
      found.wrong.push(`round ${round}: ${afterKill} of ${rows} records of a batch that is all or nothing`)
    const logged = await stage.sql<{ status: number; code: string | null }>(
      'select status, code from calls where company_id = $1 and route = $2 order by id desc limit 1',
      ...[own.id, 'batch'],
    )
    if (mode === 'each' && afterKill > 0 && afterKill < rows && logged[0]?.code !== 'outcome_unknown')
      found.wrong.push(`round ${round}: the call that broke off is logged as ${JSON.stringify(logged[0])}`)
    const again = await call(server)
    if (again.status !== 200 || again.body.data.done !== rows)
      found.wrong.push(`round ${round}, ${mode}: the retry answers ${again.status} ${again.text.slice(0, 300)}`)
    const afterRetry = await countOf(round)
    if (afterRetry !== rows)
      found.wrong.push(`round ${round}, ${mode}: ${afterRetry} records of ${rows} after the retry`)
  }
  await server?.stop()
  return found
}

/** Until PostgreSQL has ended the transactions of a process that is gone. */
async function idle({ sql }: Stage): Promise<void> {
  for (;;) {
    const [row] = await sql<{ open: number }>(
      'select count(*) as open from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()',
    )
    if (row?.open === 0) return
    await pause(20)
  }
}
