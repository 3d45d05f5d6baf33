import type { DataProvider, GetListParams, Identifier } from 'react-admin'
import { ask } from './ask.ts'

/** react-admin's way to records, which it takes to be of any type. */
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

/** As many ids as one page of the service holds. */
const pageMax = 100

/** Pages write by asking themselves, so that a refusal comes to the field it is about. */
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

/** What a list and its export take alike. */
export const listQuery = ({ sort, filter, fields }: ListingParameters) => ({
  sort: sort ? `${sort.order === 'DESC' ? '-' : ''}${sort.field}` : undefined,
  fields: fields?.join(','),
  ...filter,
})

const pagesOf = (ids: readonly Identifier[]): Identifier[][] =>
  Array.from({ length: Math.ceil(ids.length / pageMax) }, (_, page) => ids.slice(page * pageMax, (page + 1) * pageMax))
