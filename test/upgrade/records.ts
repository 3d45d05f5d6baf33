import type { AnsweredCall, Snapshot } from './snapshot.ts'

/** Of what is refused on purpose, and of the record that was deleted. */
const expected = [404, 422]

type Command = (...words: string[]) => Promise<{ [member: string]: unknown }>

/** A company of its own beside the demo, whose token writes and reads as an integration does. */
export async function createRecords(url: string, command: Command): Promise<Pick<Snapshot, 'token' | 'answers'>> {
  const company = String(
    (await command('company', 'create', '--name', 'Quay & Daughters', '--add-ons', 'all')).company_id,
  )
  const person = ['--name', 'Ines Quay', '--email', 'ines@quay.example', '--password', 'a long word of the quay']
  const account = String((await command('account', 'create', '--company', company, ...person)).account_id)
  const { token } = await command('token', 'issue', '--company', company, '--account', account)
  const answers: AnsweredCall[] = []

  async function call(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}) {
    const sent = {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    }
    const response = await fetch(`${url}${path}`, { method, headers: sent, body: JSON.stringify(body) })
    const text = await response.text()
    const answer = text === '' ? null : JSON.parse(text)
    answers.push({ method, path, headers, ...(body === undefined ? {} : { body }), status: response.status, answer })
    // Anything unexpected ends it: a snapshot of refusals would show nothing.
    if (response.status >= 400 && !expected.includes(response.status)) throw new Error(`${method} ${path}: ${text}`)
    return answer?.data
  }

  const create = async (resource: string, body: object): Promise<number> =>
    (await call('POST', `/v1/${resource}`, body, { 'Idempotency-Key': `${resource}-1` })).id
  const client = await create('clients', { name: 'Harbour Office', email: 'office@harbour.example' })
  const project = await create('projects', { name: 'North mole', client_id: client, start_date: '2026-03-01' })
  const worker = await create('workers', { name: 'Ola Berg' })
  await create('subcontractors', { name: 'Deep Divers' })
  await create('equipment', { name: 'Crane 4' })
  const lines = [{ description: 'Piles', quantity: 12.5, unit_price_minor: 12_000 }]
  await create('estimates', { title: 'Mole, first part', client_id: client, project_id: project, lines })
  await call('POST', '/v1/projects', { name: '' }, { 'Idempotency-Key': 'refused-1' })
  await call('PATCH', `/v1/projects/${project}`, { status: 'ACTIVE' }, { 'Idempotency-Key': 'active-1' })
  await call('DELETE', `/v1/workers/${worker}?dry_run=1`)
  await call('DELETE', `/v1/workers/${worker}`, undefined, { 'Idempotency-Key': 'gone-1' })
  for (const resource of ['projects', 'workers', 'clients', 'estimates', 'subcontractors', 'equipment']) {
    await call('GET', `/v1/${resource}`)
    await call('GET', `/v1/${resource}?q=mole&sort=-id&limit=3`)
  }
  await call('GET', `/v1/projects/${project}`)
  await call('GET', `/v1/workers/${worker}`)
  return { token: String(token), answers }
}
