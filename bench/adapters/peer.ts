import type { Adapter, BenchRequest } from '../adapter.ts'
import { anyCompany, newProject } from '../scenario/choices.ts'
import { peerId, peerLogin } from '../writes/peer.ts'

/** The requests of the Go backend for the same records. It has no keys: its create is compared with the keyed one. */
export const adapter: Adapter = {
  'create-keyed': async ({ url, layout }) => {
    const headers = { ...(await authorization(url)), 'Content-Type': 'application/json' }
    return (count, random): BenchRequest => {
      const project = newProject(layout, anyCompany(layout, random), count) as { [field: string]: unknown }
      const references = Object.fromEntries(
        Object.entries(referred).map(([field, of]) => [field, peerId(of, project[field] as number)]),
      )
      const body = JSON.stringify({ ...project, ...references })
      return { method: 'POST', path: records, headers, body, expect: { status: 200, begins: '{', bytesMin: 300 } }
    }
  },
}

const records = '/api/collections/projects/records'

/** The references of a project, and the collections to which they lead. */
const referred = { client_id: 'clients', category_id: 'categories', manager_id: 'workers' }

async function authorization(url: string): Promise<{ Authorization: string }> {
  const response = await fetch(`${url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(peerLogin),
  })
  const { token } = (await response.json()) as { token: string }
  return { Authorization: token }
}
