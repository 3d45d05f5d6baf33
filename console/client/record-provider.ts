import type { DataProvider, GetListParams, Identifier } from 'ra-core'
import { ask } from './ask.ts'

export const recordProvider = {
  getList: (records: string, params: GetListParams) => list(records, params, params.filter),
  getMany: async (records: string, { ids }: { ids: Identifier[] }) => {
    const pages = await Promise.all(
      pagesOf(ids).map((page) => ask('records.list', { records, query: { id_in: page.join(','), limit: pageMax } })),
    )
    return { data: pages.flatMap(({ data }) => data) as never[] }
  },
  getManyReference: (records: string, params: GetListParams & { target: string; id: Identifier }) =>
    list(records, params, { ...params.filter, [params.target]: params.id }),
  getOne: async (records: string, { id }: { id: Identifier }) => {
    const { data } = await ask('records.fetch', { records, id })
    return { data: data as never }
  },
  create: byAsking,
  update: byAsking,
  delete: byAsking,
  updateMany: byAsking,
  deleteMany: byAsking,
} satisfies DataProvider

/** Most ids of one request: the length of a page of the service. */
const pageMax = 100

/** Throws if ra-core writes: pages write by `useWrite`, so that a refusal is shown at its field. */
function byAsking(): never {
  throw new Error('records are written with ask()')
}

async function list(records: string, { pagination, sort, signal }: GetListParams, filter: object) {
  const { page = 1, perPage = 25 } = pagination ?? {}
  const { data, meta } = await ask('records.list', {
    records,
    query: { ...pageQuery(page, perPage), ...listQuery({ sort, filter }) },
    signal,
  })
  return { data: data as never[], total: meta.total }
}

export const pageQuery = (page: number, perPage: number) => ({
  limit: perPage,
  offset: (page - 1) * perPage || undefined,
})

type ListingParameters = { sort?: { field: string; order: string }; filter?: object; fields?: readonly string[] }

/** Returns the query parameters that a list and its export share. */
export const listQuery = ({ sort, filter, fields }: ListingParameters) => ({
  sort: sort ? `${sort.order === 'DESC' ? '-' : ''}${sort.field}` : undefined,
  fields: fields?.join(','),
  ...filter,
})

const pagesOf = (ids: readonly Identifier[]): Identifier[][] =>
  Array.from({ length: Math.ceil(ids.length / pageMax) }, (_, page) => ids.slice(page * pageMax, (page + 1) * pageMax))
