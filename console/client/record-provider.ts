import type { DataProvider, GetListParams, Identifier } from 'react-admin'
import { ask } from './ask.ts'

/** react-admin's way to records, which it takes to be of any type. */
export const recordProvider = {
  getList: (records: string, params: GetListParams) => list(records, params, params.filter),
  getMany: async (records: string, { ids }: { ids: Identifier[] }) => {
    const pages = await Promise.all(
      pagesOf(ids).map((page) => ask('records.list', { records, query: { ids: page.join(','), limit: pageMax } })),
    )
    return { data: pages.flatMap(({ data }) => data) as never[] }
  },
  getManyReference: (records: string, params: GetListParams & { target: string; id: Identifier }) =>
    list(records, params, { ...params.filter, [params.target]: params.id }),
  getOne: async (records: string, { id }: { id: Identifier }) => one(records, id),
  create: async (records: string, { data }: { data: object }) => {
    const { data: made } = await ask('records.create', { records, body: { ...data } })
    return { data: { ...data, ...made } as never }
  },
  update: async (records: string, { id, data }: { id: Identifier; data: object }) => {
    await ask('records.update', { records, id, body: { ...data } })
    return one(records, id)
  },
  delete: async (records: string, { id }: { id: Identifier }) => {
    const { data } = await ask('records.delete', { records, id })
    return { data: data as never }
  },
  updateMany: async (records: string, { ids, data }: { ids: Identifier[]; data: object }) => {
    await Promise.all(ids.map((id) => ask('records.update', { records, id, body: { ...data } })))
    return { data: ids as never[] }
  },
  deleteMany: async (records: string, { ids }: { ids: Identifier[] }) => {
    await Promise.all(ids.map((id) => ask('records.delete', { records, id })))
    return { data: ids as never[] }
  },
} satisfies DataProvider

/** As many ids as one page of the service holds. */
const pageMax = 100

async function one(records: string, id: Identifier) {
  const { data } = await ask('records.fetch', { records, id })
  return { data: data as never }
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

type Listing = { sort?: { field: string; order: string }; filter?: object; fields?: readonly string[] }

/** What a list and its export take alike. */
export const listQuery = ({ sort, filter, fields }: Listing) => ({
  sort: sort ? `${sort.order === 'DESC' ? '-' : ''}${sort.field}` : undefined,
  fields: fields?.join(','),
  ...filter,
})

const pagesOf = (ids: readonly Identifier[]): Identifier[][] =>
  Array.from({ length: Math.ceil(ids.length / pageMax) }, (_, page) => ids.slice(page * pageMax, (page + 1) * pageMax))
