import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedDemo } from '#server/demo/seed.ts'
import { type ConsoleStage, openConsole, signIn } from '../console/stage.ts'
import type { Company } from '../stage/stage.ts'
import { type Agent, openAgent, setAgentsOf } from './stage.ts'

/** A day of an agent with the demo company, and of the person who decides. */

let stage: ConsoleStage
let agent: Agent
let cookie: string
beforeAll(async () => {
  stage = await openConsole()
  const [harbor] = (await seedDemo(stage.app)).companies
  const { id, token, accounts } = harbor as NonNullable<typeof harbor>
  const company = { id, token, actor: { companyId: id, accountId: null, tokenId: null, channel: 'command' } }
  await setAgentsOf(stage, company as unknown as Company)
  agent = await openAgent(stage, company as Company)
  cookie = await signIn(stage.ask, accounts[0]?.email as string, accounts[0]?.password as string)
})
afterAll(async () => {
  await agent?.close()
  await stage.close()
})

const decide = (id: string, word: 'approve' | 'decline', body?: object) =>
  stage.ask('POST', `/console/agents/previews/${id}/${word}`, { cookie, body })

async function use(tool: string, given: Parameters<Agent['use']>[1]) {
  const { isError, data } = await agent.use(tool, given)
  expect(isError, JSON.stringify(data)).toBe(false)
  return data
}

test('It finds a client, previews three changes, has one declined, applies two and takes one back', async () => {
  const { resources, company } = await use('describe', {})
  expect(company.name).toBe('Harbor Masonry')
  expect(resources.find(({ records }: { records: string }) => records === 'clients').may).toContain('EDIT')
  const { fields } = await use('describe', { records: 'clients' })
  expect(fields.map(({ name }: { name: string }) => name)).toContain('payment_terms_days')

  const { data: found } = await use('find', { records: 'clients', where: { status: 'ACTIVE' }, limit: 5 })
  const client = await use('get', { records: 'clients', id: found[0].id })
  const { next } = await use('changes', { after: 'now' })

  const terms = await use('preview', {
    why: 'The client asked for 77 days',
    operations: [
      { op: 'update', records: 'clients', id: client.data.id, if_match: client.etag, body: { payment_terms_days: 77 } },
    ],
  })
  const project = await use('preview', {
    why: 'A new wall for the client',
    operations: [{ op: 'create', records: 'projects', body: { name: 'Garden wall', client_id: client.data.id } }],
  })
  const { data: idle } = await use('find', { records: 'equipment', where: { status: 'ACTIVE' }, limit: 1 })
  const removal = await use('preview', {
    why: 'Nobody uses it',
    operations: [{ op: 'delete', records: 'equipment', id: idle[0].id }],
  })
  expect([terms, project, removal].map(({ needs_person }) => needs_person)).toEqual([false, false, true])

  expect((await use('apply', { preview: removal.preview })).state).toBe('waiting')
  const { agent_previews } = (await stage.ask('GET', '/console/home', { cookie })).body.data
  expect(agent_previews).toMatchObject({ count: 1, items: [{ why: 'Nobody uses it', client: 'test-agent 1.2' }] })
  expect((await decide(removal.preview, 'decline')).status).toBe(200)
  expect((await use('apply', { preview: removal.preview })).state).toBe('declined')
  expect((await use('get', { records: 'equipment', id: idle[0].id })).data.id).toBe(idle[0].id)

  expect((await use('apply', { preview: terms.preview })).state).toBe('applied')
  const made = await use('apply', { preview: project.preview })
  expect((await use('get', { records: 'clients', id: client.data.id })).data.payment_terms_days).toBe(77)

  const back = await use('preview', { why: 'The client changed his mind', undo: made.write_id })
  expect((await use('apply', { preview: back.preview })).state).toBe('waiting')
  expect((await decide(back.preview, 'approve', { hash: back.hash })).body.data.state).toBe('approved')
  expect((await use('apply', { preview: back.preview })).state).toBe('applied')
  const gone = await agent.use('get', { records: 'projects', id: made.results[0].data.id })
  expect(gone.data.code).toBe('not_found')

  const seen: string[] = []
  for (let after = next; seen.length < 3; ) {
    const page = await use('changes', { after })
    seen.push(...page.data.map(({ event }: { event: string }) => event))
    after = page.next
  }
  expect(seen).toEqual(['clients.updated', 'projects.created', 'projects.deleted'])
})
