import { describeResource, describeResources, filterNames } from '#derive/agent/describe.ts'
import { cutTexts, rowsThatFit, shorten } from '#derive/agent/fit.ts'
import { agentHabits, readText, withoutNulls } from '#derive/agent/texts.ts'
import { notKnown } from '#derive/batch-operation.ts'
import { checkObject } from '#derive/check-object.ts'
import { statusOf } from '#derive/form/relations.ts'
import { filtersOf } from '#derive/parameters.ts'
import { ownRoute, routesOn } from '#derive/routes.ts'
import { agentPageMax } from '#registry/agents.ts'
import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { invalidFields } from '#registry/refusals.ts'
import { definitionOf, servedResources } from '#registry/resources/index.ts'
import { catalogues } from '#registry/words/index.ts'
import { handlers } from '../../pipeline/handlers/index.ts'
import { type CallResult, callRead } from '../calls.ts'
import type { Agent } from '../request.ts'

/** The tools that read. Each makes one or two calls of /v1. */

const pageDefault = 20

const resourceIn = ({ records }: JsonObject): Definition => {
  const definition = definitionOf(servedResources, records as string)
  if (!definition) throw new Error(`${records} was not judged`)
  return definition
}

export async function describe(agent: Agent, given: JsonObject): Promise<JsonObject> {
  if (given.records !== undefined) return describeResource(resourceIn(given))
  const route = ownRoute('me')
  const { body } = await callRead(agent, route, handlers.me(route))
  const { company, token, scopes, limits } = body.data as JsonObject
  const { records_max, always } = agent.settings
  const { agentRecordsPerHour } = agent.app.config
  return {
    company: company as Json,
    token: token as Json,
    limits: limits as Json,
    needs_person_for: always
      ? ['every change']
      : [
          ...['a delete', 'an undo', 'a step into protected history', `a change of more than ${records_max} records`],
          `any change by which agents would have changed more than ${agentRecordsPerHour} records within an hour`,
        ],
    resources: describeResources(servedResources, scopes as string[]),
  }
}

export async function find(agent: Agent, given: JsonObject): Promise<JsonObject> {
  const definition = resourceIn(given)
  const { list: route } = routesOn(definition)
  const { q, fields, where = {}, limit = pageDefault, after_id = 0 } = given
  const { title } = definition
  const status = statusOf(definition) ? ['status'] : []
  const query = {
    ...filtersIn(definition, where as JsonObject),
    ...(q === undefined ? {} : { q: String(q) }),
    ...{ limit: String(limit), after_id: String(after_id) },
    fields: ['id', ...((fields as string[] | undefined) ?? [title, ...status])].join(),
  }
  const called = await callRead(agent, route, handlers.list(route), { query })
  const all = rowsOf(called)
  const { total } = called.body.meta as { total: number }
  const hasNext = called.headers.Link?.includes('rel="next"') === true
  const answer = (data: readonly JsonObject[]): JsonObject => {
    const more = hasNext || data.length < all.length
    return { data: [...data], total, more, after_id: more ? ((data.at(-1)?.id as number | undefined) ?? null) : null }
  }
  return withRoom(all, answer)
}

export async function get(agent: Agent, given: JsonObject): Promise<JsonObject> {
  const definition = resourceIn(given)
  const routes = routesOn(definition)
  const called =
    given.id === undefined
      ? await callRead(agent, routes.fetch_by_ref, handlers.fetch_by_ref(routes.fetch_by_ref), {
          params: { value: String(given.external_ref) },
        })
      : await callRead(agent, routes.fetch, handlers.fetch(routes.fetch), { params: { id: String(given.id) } })
  const etag = called.headers.ETag ?? ''
  const record = cutTexts(called.body.data as JsonObject)
  const entries =
    given.history === undefined ? undefined : await historyOf(agent, definition, record as JsonObject, given)
  const whole = (data: Json, history: readonly JsonObject[] | undefined): JsonObject => ({
    data,
    etag,
    ...(history ? { history: [...history] } : {}),
    ...(history && entries && history.length < entries.length ? { more: true } : {}),
  })
  const data = shorten(record, (shorter) => whole(shorter, entries && []))
  if (!entries) return whole(data, undefined)
  const count = rowsThatFit(entries, (rows) => whole(data, rows))
  return whole(data, entries.slice(0, count))
}

/** Returns the entries without the record, which is beside them. */
async function historyOf(agent: Agent, definition: Definition, { id }: JsonObject, { history: limit }: JsonObject) {
  const { history: route } = routesOn(definition)
  const called = await callRead(agent, route, handlers.history(route), {
    params: { id: String(id) },
    query: { limit: String(limit) },
  })
  return rowsOf(called).map(({ record: _, ...entry }) => entry)
}

/** Reads changes. Of a page that is too long fewer are read again, so that its cursor is the one after them. */
export async function changes(agent: Agent, given: JsonObject): Promise<JsonObject> {
  const { after, records, limit = pageDefault } = given
  const route = ownRoute('changes')
  const page = (most: number) =>
    callRead(agent, route, handlers.changes(route), {
      query: {
        ...{ after: String(after), limit: String(most) },
        ...(records === undefined ? {} : { records: (records as string[]).join() }),
      },
    })
  const answer = (called: CallResult) => (data: readonly JsonObject[]) => {
    const { next, more } = called.body.meta as { next: string; more: boolean }
    return { data: [...data], next, more }
  }
  const first = await page(Math.min(Number(limit), agentPageMax))
  const all = rowsOf(first)
  const count = rowsThatFit(all, answer(first))
  if (count === all.length) return answer(first)(all)
  const shorter = await page(Math.max(1, count))
  return withRoom(rowsOf(shorter), answer(shorter))
}

const rowsOf = ({ body }: CallResult): JsonObject[] => cutTexts(body.data as Json) as JsonObject[]

/** Returns as many rows as fit; of a first row that does not fit, the part that does. */
function withRoom(rows: readonly JsonObject[], answer: (rows: readonly JsonObject[]) => JsonObject): JsonObject {
  const count = rowsThatFit(rows, answer)
  if (count > 0 || rows.length === 0) return answer(rows.slice(0, count))
  const [first] = rows as [JsonObject]
  return answer([shorten(first, (shorter) => answer([shorter as JsonObject])) as JsonObject])
}

/** Returns the filters in the form of a query of /v1. */
function filtersIn(definition: Definition, where: JsonObject): { [name: string]: string } {
  const names = filterNames(definition)
  const { problems } = checkObject(where, {
    members: Object.fromEntries(names.map((name) => [name, name])),
    path: 'where.',
    absent: () => undefined,
    unknown: () => notKnown(names),
    check: (_, value) => ({ value }),
  })
  if (problems.length > 0) throw invalidFields(problems)
  const fields = Object.fromEntries(
    filtersOf(definition).map(({ parameter, field }) => [parameter, definition.fields[field]]),
  )
  const habits = agentHabits(catalogues, definition)
  const read = (name: string, value: Json): Json => (fields[name] ? readText(value, fields[name], habits) : value)
  return Object.fromEntries(
    Object.entries(withoutNulls(where)).map(([name, value]) => [
      name,
      [value]
        .flat()
        .map((each) => String(read(name, each)))
        .join(),
    ]),
  )
}
