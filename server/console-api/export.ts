import { Readable } from 'node:stream'
import { exportForms, styleOf } from '#derive/export.ts'
import { exportDelimiters } from '#derive/import/file.ts'
import { invalidParameter, isValueOf, quoteText } from '#derive/query.ts'
import { languages } from '#registry/words/index.ts'
import { exportRecords } from '../service/export-records.ts'
import type { AdmittedRequest, ConsoleResult, Handlers } from './operation-request.ts'
import { day, readConsoleListing } from './read-parameters.ts'

/** The parameters of an export besides those of a list. */
const styleParameters = {
  form: exportForms,
  language: Object.keys(languages) as (keyof typeof languages)[],
  delimiter: exportDelimiters,
} as const

/** Exports all records of a filter as CSV, for people or for programs, or as a week with sums. */
export const exportAll: Handlers['records.export'] = ({ list: like }) => {
  const { definition } = like
  const parameterNames = [
    ...like.parameterNames,
    ...Object.keys(styleParameters),
    ...(definition.sheet ? ['week'] : []),
  ]
  const route = { ...like, path: `${like.path}.csv`, parameterNames }
  return async (request) => {
    const { app, query, session } = request
    const { actor, row } = session()
    const listing = readConsoleListing(query, route, actor, ['limit', 'offset'])
    const parameters = new URLSearchParams(query)
    const style = styleOf({
      form: readWord(parameters, 'form'),
      language: readWord(parameters, 'language'),
      delimiter: readWord(parameters, 'delimiter'),
    })
    const source = { database: app.database, actor, definition, currency: row.currency }
    const { parts } = await exportRecords(source, listing, style, readWeek(parameters))
    return download(request, { name: definition.name, type: csvType }, parts)
  }
}

/** Returns the word of a parameter. Throws if it is none of those that there are. */
function readWord<Name extends keyof typeof styleParameters>(
  parameters: URLSearchParams,
  name: Name,
): (typeof styleParameters)[Name][number] | undefined {
  const word = parameters.get(name)
  if (word === null) return undefined
  const words: readonly (typeof styleParameters)[Name][number][] = styleParameters[name]
  const known = words.find((one) => one === word)
  if (known === undefined) throw invalidParameter(name, `is ${quoteText(word)}; it must be ${words.join(' or ')}`)
  return known
}

function readWeek(parameters: URLSearchParams): string | undefined {
  const week = parameters.get('week')
  if (week === null) return undefined
  if (isValueOf(day, week)) return week
  throw invalidParameter('week', `is ${quoteText(week)}; it must be a day like 2026-03-31`)
}

export const csvType = 'text/csv; charset=utf-8'

/** Returns a file named by the company’s day, sent while it is read. A failure breaks it off, so no part passes for the whole. */
export function download(
  { app, requestId, today }: Pick<AdmittedRequest, 'app' | 'requestId' | 'today'>,
  { name, type }: { name: string; type: string },
  parts: AsyncIterable<string>,
): ConsoleResult {
  const extension = type === csvType ? 'csv' : 'json'
  const body = Readable.from(parts, { objectMode: false })
  body.on('error', (error) => app.log.error({ request_id: requestId, error }, 'an export was broken off'))
  return {
    status: 200,
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}-${today()}.${extension}"`,
    },
    body,
  }
}
