import type pg from 'pg'
import { drawer } from '../generate.ts'
import type { Line } from '../history.ts'
import { hasNoResult, noteWrite, type Operation, operations, type Parts, type Site } from '../operations.ts'
import type { RecordedRequest, RecordedResponse } from '../recorder.ts'
import { createSite } from '../workload.ts'
import { askConsole, type Ground } from './ground.ts'
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

type Recorders = ReadonlyMap<SimulatedService, { send(call: RecordedRequest): Promise<RecordedResponse>; write(line: Line): void }>

/** Tries after which a caller leaves a call open. */
const triesMax = 8
const names = ['ada', 'bob', 'cid', 'dot', 'eve', 'fay'] as const
const operationsOfEach = 2

/** The value that the outside session takes, too. */
const contested = 'CONTESTED'

/** What a caller does beside the operations of `npm run torture`. */
const own: { readonly [name: string]: Operation } = {
  'create of a contested value': (site, call) => {
    const body = { name: site.next('client'), external_ref: contested }
    return call({ method: 'POST', path: '/v1/clients', body, key: site.next('key') })
  },
  'create within the plan': async (site, call) => {
    const body = { name: site.next('project') }
    const made = await call({ method: 'POST', path: '/v1/projects', body, key: site.next('key') })
    if (made.status === 201) site.projects.push(made.answer.data.id)
  },
}
/** Left out: what has so many messages that the others would stand in its shadow. */
const { 'long batch': _long, list: _list, ...some } = operations
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
  const sendAs = async (who: string, service: SimulatedService, operation: string, parts: Parts): Promise<RecordedResponse> =>
    gate.pass(who, `${parts.method} ${operation}`, service, (to) =>
      (recorders.get(to) as NonNullable<ReturnType<Recorders['get']>>).send({ ...parts, operation, company: 'a', token }),
    )

  const call = async (place: number, who: string): Promise<void> => {
    const draw = drawer(seed * 31 + place)
    const own = createSite({ ...site, draw, prefix: who })
    const shared: Site = { ...own, clients: site.clients, workers: site.workers, projects: site.projects, writes: site.writes }
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

  /** Makes the same two calls in each simulation, which the outside session gets in the way of. */
  const meet = async (): Promise<void> => {
    const draw = drawer(seed * 31 + 99)
    const shared: Site = { ...createSite({ ...site, draw, prefix: 'max' }), projects: site.projects }
    for (const name of draw() < 0.5 ? Object.keys(own) : Object.keys(own).toReversed())
      await own[name]?.(shared, async (parts) => {
        for (let tries = 1; ; tries++) {
          const heard = await sendAs('max', services[draw() < 0.5 ? 0 : 1] as SimulatedService, name, parts)
          if (!hasNoResult(heard) || tries === triesMax) return heard
        }
      })
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

/** What somebody with psql does beside the service: statements in their order. */
export const outsideScript = (company: string): readonly { label: string; text: string }[] => {
  const take = `insert into clients (company_id, name, status, external_ref) values (${company}, 'outside', 'ACTIVE', '${contested}')`
  const giveBack = `delete from clients where company_id = ${company} and name = 'outside'`
  const holds = [
    { label: 'begin', text: 'begin' },
    {
      label: 'hold the plan',
      text: `select from plan_usage where company_id = ${company} and records = 'projects' for update`,
    },
    { label: 'hold the token', text: `select from tokens where company_id = ${company} for update` },
    { label: 'rollback', text: 'rollback' },
  ]
  const value = [
    { label: 'take the value', text: take },
    { label: 'give the value back', text: giveBack },
  ]
  return [...holds, ...value, ...holds, ...value]
}

export type OutsideSession = Pick<pg.Client, 'query'>
