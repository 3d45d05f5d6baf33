import type { DataProvider, GetListParams, Identifier } from 'react-admin'
import { ask } from './ask.ts'
import { queryOf } from './query.ts'

/** react-admin's way to records, over the service's own door. */
export const recordProvider = {
  getList: (kind: string, params: GetListParams) => list(kind, params, params.filter, params.signal),
  getMany: async (kind: string, { ids }: { ids: Identifier[] }) => {
    const pages = await Promise.all(
      pagesOf(ids).map((page) =>
        ask<never[]>('GET', `/records/${kind}${queryOf({ ids: page.join(','), limit: pageMax })}`),
      ),
    )
    return { data: pages.flatMap(({ data }) => data) }
  },
  getManyReference: (kind: string, params: GetListParams & { target: string; id: Identifier }) =>
    list(kind, params, { ...params.filter, [params.target]: params.id }, params.signal),
  getOne: (kind: string, { id }: { id: Identifier }) => ask<never>('GET', `/records/${kind}/${id}`),
  create: async (kind: string, { data }: { data: object }) => {
    const { data: made } = await ask<{ id: number }>('POST', `/records/${kind}`, { body: data })
    return { data: { ...data, ...made } as never }
  },
  update: async (kind: string, { id, data }: { id: Identifier; data: object }) => {
    await ask('PATCH', `/records/${kind}/${id}`, { body: data })
    return ask<never>('GET', `/records/${kind}/${id}`)
  },
  delete: (kind: string, { id }: { id: Identifier }) => ask<never>('DELETE', `/records/${kind}/${id}`),
  updateMany: async (kind: string, { ids, data }: { ids: Identifier[]; data: object }) => {
    await Promise.all(ids.map((id) => ask('PATCH', `/records/${kind}/${id}`, { body: data })))
    return { data: ids as never[] }
  },
  deleteMany: async (kind: string, { ids }: { ids: Identifier[] }) => {
    await Promise.all(ids.map((id) => ask('DELETE', `/records/${kind}/${id}`)))
    return { data: ids as never[] }
  },
} satisfies DataProvider

/** As many ids as one page of the service holds. */
const pageMax = 100

async function list(kind: string, { pagination, sort }: GetListParams, filter: object, signal?: AbortSignal) {
  const { page = 1, perPage = 25 } = pagination ?? {}
  const { data, meta } = await ask<never[]>('GET', `/records/${kind}${listQuery({ page, perPage, sort, filter })}`, {
    signal,
  })
  return { data, total: meta?.total ?? data.length }
}

export type Listing = {
  page?: number
  perPage?: number
  sort?: { field: string; order: string }
  filter?: object
  fields?: readonly string[]
}

export const listQuery = ({ page = 1, perPage, sort, filter, fields }: Listing): string =>
  queryOf({
    limit: perPage,
    offset: perPage ? (page - 1) * perPage || undefined : undefined,
    sort: sort ? `${sort.order === 'DESC' ? '-' : ''}${sort.field}` : undefined,
    fields: fields?.join(','),
    ...filter,
  })

const pagesOf = (ids: readonly Identifier[]): Identifier[][] =>
  Array.from({ length: Math.ceil(ids.length / pageMax) }, (_, page) => ids.slice(page * pageMax, (page + 1) * pageMax))
