import assert from 'node:assert/strict'
import axios from 'axios'
import { getPlumblineAPI } from './generated/orval-axios.js'
import { toldTogether } from './told.js'

/** The calls of a client by orval for axios. */

const api = getPlumblineAPI()
axios.defaults.baseURL = process.env.BASE_URL ?? ''
axios.defaults.headers.common.Authorization = `Bearer ${process.env.TOKEN}`

const page = await api.projectsList({ status: 'ON_HOLD', limit: 5 })
assert.deepEqual(
  page.data.data.map(({ name }) => name),
  ['On hold'],
)
const fetched = await api.projectsFetch(page.data.data[0]?.id ?? 0)
assert.equal(fetched.data.data.name, 'On hold')

const now = await api.changes({ after: 'now' })
const batch = await api.batch({
  mode: 'all',
  operations: [
    { op: 'create', records: 'clients', as: 'client', body: { name: 'Harbour Trust' } },
    { op: 'create', records: 'projects', body: { name: 'Pier', client_id: { $ref: 'client' } } },
  ],
})
assert.deepEqual(
  batch.data.data.operations.map(({ status }) => status),
  [201, 201],
)
// A change is told once no older transaction of the server can overtake it, and other tests have long ones: `now` can lie
// before the project above.
const told = await toldTogether(now.data.meta.next, async (after) => (await api.changes({ after, wait: 10 })).data)
const owner = told.find(({ records }) => records === 'clients')
const pier = told.find(({ records, write_id }) => records === 'projects' && write_id === owner?.write_id)
assert.ok(owner?.records === 'clients' && pier?.records === 'projects')
assert.equal(pier.record?.client_id, owner.record?.id)
