import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** The examples, run as their README says, against a service that loses answers. */
const folder = join(import.meta.dirname, '../../examples/nightly-sync')
const hasPython = spawnSync('python3', ['--version']).status === 0
let stage: Stage
let line: Line
beforeAll(async () => {
  stage = await openStage()
  line = await openLine(stage.url)
})
afterAll(async () => {
  line.server.close()
  await stage.close()
})

type Line = { url: string; server: Server; loseNext(method: string): void; seen: string[] }

/** Passes calls on, and loses the answer of one whose work was done. */
async function openLine(to: string): Promise<Line> {
  let losing: string | null = null
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const kept = ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match']
    const sent = Object.fromEntries(kept.filter((name) => headers[name]).map((name) => [name, String(headers[name])]))
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null
    const answer = await fetch(`${to}${url}`, { method, headers: sent, body })
    const text = Buffer.from(await answer.arrayBuffer())
    seen.push(`${method} ${answer.status}${answer.headers.get('idempotency-replayed') ? ' replayed' : ''}`)
    if (losing === method) {
      losing = null
      request.socket.destroy()
      return
    }
    const passed = ['content-type', 'etag', 'link', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(passed)).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const loseNext = (method: string): void => {
    losing = method
  }
  return { url: `http://127.0.0.1:${port}`, server, seen, loseNext }
}

const programs = [
  { language: 'TypeScript', program: process.execPath, file: 'sync.ts', isHere: true },
  { language: 'Python', program: 'python3', file: 'sync.py', isHere: hasPython },
]

describe.each(programs)('The nightly synchronisation in $language', ({ language, program, file, isHere }) => {
  test('sends each worker once though an answer is lost, and reads a page again only when it changed.', async ({
    skip,
  }) => {
    skip(!isHere, `${language} is not on this machine.`)
    const company = await stage.company({ name: language })
    for (let count = 1; count <= 130; count++) await company.create('projects', { name: `Project ${count}` })
    const place = await mkdtemp(join(tmpdir(), 'plumbline-sync-'))
    const files = { payroll: join(place, 'payroll.json'), state: join(place, 'state.json') }
    const night = async (rows: object[]) => {
      line.seen.length = 0
      await writeFile(files.payroll, JSON.stringify(rows))
      const { stdout } = await promisify(execFile)(program, [join(folder, file), files.payroll, files.state], {
        env: { PATH: process.env.PATH, PLUMBLINE_URL: line.url, PLUMBLINE_TOKEN: company.token },
      })
      return JSON.parse(stdout)
    }
    try {
      const ola = { employee_no: 'P-100', name: 'Ola Berg', hourly_cost_minor: 4200 }
      const runa = { employee_no: 'P-101', name: 'Runa Dahl', hourly_cost_minor: 3900 }
      line.loseNext('POST')
      expect(await night([ola, runa])).toEqual({ ...none, created: 2, pages_read: 3, projects: 130 })
      expect(line.seen.filter((each) => each.startsWith('POST'))).toEqual(['POST 201', 'POST 201 replayed', 'POST 201'])

      // The payroll raises one of them. The page of workers is another, those of projects are not.
      line.loseNext('PATCH')
      const raised = { ...runa, hourly_cost_minor: 4100 }
      const second = { ...none, updated: 1, unchanged: 1, pages_read: 1, pages_kept: 2, projects: 130 }
      expect(await night([ola, raised])).toEqual(second)
      expect(line.seen.filter((each) => each.startsWith('PATCH'))).toEqual(['PATCH 200', 'PATCH 200 replayed'])

      expect(await workersOf(company)).toEqual([
        { employee_no: 'P-100', hourly_cost_minor: 4200 },
        { employee_no: 'P-101', hourly_cost_minor: 4100 },
      ])
      await expect(night([{ employee_no: 'P-102' }])).rejects.toThrow('validation_failed')
    } finally {
      await rm(place, { recursive: true })
    }
  })
})

const none = { created: 0, updated: 0, unchanged: 0, pages_read: 0, pages_kept: 0 }

async function workersOf(company: Company): Promise<object[]> {
  const { body } = await company.get('/v1/workers?sort=employee_no&fields=employee_no,hourly_cost_minor')
  return body.data.map(({ id, ...rest }: { id: number }) => rest)
}
