import assert from 'node:assert/strict'
import { BatchApi, BatchMode, ChangesApi, Configuration, ProjectStatus, ProjectsApi } from './client/index.js'

/** The calls of a client by openapi-generator for fetch. It cannot send `{"$ref"}`, of which it makes `{}`, so nothing refers here. */

const configuration = new Configuration({ basePath: process.env.PLUMBLINE_URL, accessToken: process.env.TOKEN })
const projects = new ProjectsApi(configuration)
const page = await projects.projectsList({ status: ProjectStatus.Active, limit: 2 })
assert.deepEqual(
  page.data.map(({ status }) => status),
  ['ACTIVE', 'ACTIVE'],
)
const fetched = await projects.projectsFetch({ id: page.data[0]!.id })
assert.deepEqual(fetched.data, page.data[0])

const feed = new ChangesApi(configuration)
const after = (await feed.changes({ after: 'now' })).meta.next
const { data } = await new BatchApi(configuration).batch({
  batchInput: {
    mode: BatchMode.All,
    operations: [
      { op: 'create', records: 'clients', body: { name: 'Harbour Trust' } },
      { op: 'create', records: 'projects', body: { name: 'Pier' } },
    ],
  },
})
assert.deepEqual(
  data.operations.map(({ status }) => status),
  [201, 201],
)
const [client, project] = (await feed.changes({ after, wait: 10 })).data
assert.ok(client?.records === 'clients' && project?.records === 'projects')
assert.deepEqual([client.record?.name, project.record?.name], ['Harbour Trust', 'Pier'])
