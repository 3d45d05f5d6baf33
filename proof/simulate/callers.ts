import { drawer } from '../draw.ts'
import type { Line } from '../history.ts'
import { hasNoResult, noteWrite, type Operation, operations, type Parts, type Site } from '../operations.ts'
import type { RecordedRequest, RecordedResponse } from '../recorder.ts'
import { createSite } from '../workload.ts'
import { askConsole, type Ground } from './ground.ts'
import type { OutsideScript } from './outside.ts'
import type { SimulatedService } from './process.ts'

/** Lets a caller send something when the scheduler says so. */
export type Gate = {
  /** Resolves to the answer of a call that a service was sent; `label` names it in the trace. */
  pass<Answer extends { status: number | null }>(
    caller: string,
    label: string,
    service: SimulatedService,
    send: (service: SimulatedService) => Promise<Answer>,
  ): Promise<Answer>
}

type Recorders = ReadonlyMap<
  SimulatedService,
  { send(call: RecordedRequest): Promise<RecordedResponse>; write(line: Line): void }
>

/** Tries after which a caller leaves a call open. */
const triesMax = 8
const names = ['ada', 'bob', 'cid', 'dot', 'eve', 'fay'] as const
const operationsOfEach = 2

/** What a caller does beside the operations of `npm run torture`. */
const own: { readonly [name: string]: Operation } = {
  'create within the plan': async (site, call) => {
    const body = { name: site.next('project') }
    const made = await call({ method: 'POST', path: '/v1/projects', body, key: site.next('key') })
    if (made.status === 201) site.projects.push(made.answer.data.id)
  },
}
/** Left out: what has so many messages that the others would stand in its shadow. */
const { 'long batch': _long, 'batch that names a record twice': _twice, list: _list, ...some } = operations
const all: { readonly [name: string]: Operation } = { ...some, ...own }

/** The callers of one simulation. `ended` resolves once each has made all its calls. */
export function startCallers(
  ground: Ground,
  services: readonly SimulatedService[],
  { recorders, gate, seed }: { recorders: Recorders; gate: Gate; seed: number },
): { ended: Promise<unknown>; site: Site; followed(): string } {
  const [first] = services as [SimulatedService]
  const recorder = recorders.get(first) as NonNullable<ReturnType<Recorders['get']>>
  let token = { name: 'a-0', text: ground.token }
  const site = createSite({
    ...{ name: 'a', recorder: recorder as Site['recorder'], draw: () => 0, token: () => token, isOver: () => true },
    prefix: 'end',
  })
  site.clients.push(...ground.clients)
  site.workers.push(...ground.workers)
  const sendAs = async (
    who: string,
    service: SimulatedService,
    operation: string,
    parts: Parts,
  ): Promise<RecordedResponse> =>
    gate.pass(who, `${parts.method} ${operation}`, service, (to) =>
      (recorders.get(to) as NonNullable<ReturnType<Recorders['get']>>).send({
        ...parts,
        operation,
        company: 'a',
        token,
      }),
    )

  const call = async (place: number, who: string): Promise<void> => {
    const draw = drawer(seed * 31 + place)
    const own = createSite({ ...site, draw, prefix: who })
    const shared: Site = {
      ...own,
      clients: site.clients,
      workers: site.workers,
      projects: site.projects,
      writes: site.writes,
    }
    const choose = (): SimulatedService => services[Math.floor(draw() * services.length)] as SimulatedService
    const settle = async (operation: string, parts: Parts): Promise<RecordedResponse> => {
      for (let tries = 1; ; tries++) {
        const heard = await sendAs(who, choose(), operation, parts)
        if (!hasNoResult(heard)) noteWrite(shared, parts, heard)
        if (!hasNoResult(heard) || parts.key === undefined || tries === triesMax) return heard
      }
    }
    const choices = Object.keys(all)
    for (let count = 0; count < operationsOfEach; count++) {
      const name = choices[Math.floor(draw() * choices.length)] as string
      await all[name]?.(shared, (parts) => settle(name, parts))
    }
  }

  /** Makes calls that the outside session gets in the way of. */
  const meet = async (): Promise<void> => {
    const draw = drawer(seed * 31 + 99)
    const send = async (operation: string, parts: Parts): Promise<RecordedResponse> => {
      for (let tries = 1; ; tries++) {
        const heard = await sendAs(met, services[draw() < 0.5 ? 0 : 1] as SimulatedService, operation, parts)
        if (!hasNoResult(heard) || tries === triesMax) return heard
      }
    }
    for (let count = 1; count <= meetings; count++) {
      const key = (what: string) => `key-${met}-${what}-${count}`
      const client = { name: `client-${met}-${count}`, external_ref: contestedValue(count) }
      await send('contested value', { method: 'POST', path: '/v1/clients', body: client, key: key('client') })
      const project = { name: `project-${met}-${count}` }
      await send('contested lock', { method: 'POST', path: '/v1/projects', body: project, key: key('project') })
    }
  }

  /** Replaces the token, and knows afterwards which one is worth something. */
  const rotate = async (): Promise<void> => {
    const service = services[Math.floor(drawer(seed * 31 + 97)() * services.length)] as SimulatedService
    const ask = (path: string) =>
      gate.pass('rex', `POST ${path}`, service, ({ url }) =>
        askConsole(url, `/console/token/${path}`, { password: ground.password }, ground.cookie),
      )
    let heard = await ask('rotate')
    for (let tries = 1; heard.token === undefined && tries < triesMax; tries++) heard = await ask('show')
    const former = token
    if (heard.token === undefined || heard.token === former.text) return
    recorder.write({ kind: 'revoked', token: former.name, at: performance.now() })
    token = { name: 'a-1', text: heard.token }
    await gate.pass('rex', 'GET revoked token', service, (to) =>
      (recorders.get(to) as NonNullable<ReturnType<Recorders['get']>>).send({
        ...{ operation: 'revoked token', company: 'a', token: former, method: 'GET', path: '/v1/clients' },
      }),
    )
  }

  let cursor = 'now'
  const follow = async (): Promise<void> => {
    for (let count = 0; count < 5; count++) {
      const path = `/v1/changes?after=${cursor}&limit=100`
      const { status, answer } = await sendAs('tim', services[count % services.length] as SimulatedService, 'follow', {
        ...{ method: 'GET', path },
      })
      if (status !== 200) continue
      for (const { id } of answer.data) recorder.write({ kind: 'told', company: 'a', to: 'tim', id })
      cursor = answer.meta.next
    }
  }
  const ended = Promise.all([...names.map((name, place) => call(place, name)), meet(), rotate(), follow()])
  return { ended, site, followed: () => cursor }
}

/** The caller that the outside session gets in the way of, and how often. */
const met = 'max'
const meetings = 3
const contestedValue = (count: number): string => `CONTESTED-${count}`

/** Returns what somebody with psql does beside the service, in this order. */
export function listOutsideScripts(company: string): OutsideScript[] {
  const hold = (what: string, from: string) => ({ label: `hold the ${what}`, text: `select from ${from} for update` })
  const lock: OutsideScript = {
    during: `${met} POST contested lock`,
    after: 'projects.create',
    acts: [
      { label: 'begin', text: 'begin' },
      hold('plan', `plan_usage where company_id = ${company} and records = 'projects'`),
      hold('token', `tokens where company_id = ${company}`),
    ],
    end: { label: 'rollback', text: 'rollback' },
  }
  const value = (count: number): OutsideScript => ({
    during: `${met} POST contested value`,
    after: 'clients.create',
    acts: [
      {
        label: 'take the value',
        text: `insert into clients (company_id, name, status, external_ref)
          values (${company}, 'outside', 'ACTIVE', '${contestedValue(count)}')`,
      },
    ],
    end: {
      label: 'give the value back',
      text: `delete from clients where company_id = ${company} and name = 'outside'`,
    },
  })
  return Array.from({ length: meetings }, (_, index) => [value(index + 1), lock]).flat()
}
