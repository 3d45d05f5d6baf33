import { lookedUpMax } from '#registry/limits.ts'
import type { LookUpResult } from '../console/responses.ts'
import type { ImportSettings, ReadRow } from './rows.ts'

/** The lookup by which cells are resolved to records. */

type Service = { lookUp(field: string, values: readonly string[]): Promise<readonly LookUpResult[]> }

/** Resolves the names in rows to ids. Refuses a row with a name of no record, or of several. */
export async function findReferences(service: Service, reads: readonly ReadRow[]): Promise<void> {
  const wanted = Map.groupBy(
    reads.flatMap((row) => row.names.map((named) => ({ ...named, row }))),
    ({ target }) => target.path,
  )
  for (const [field, names] of wanted) {
    const found = await lookUp(
      service,
      field,
      names.map(({ text }) => text),
    )
    for (const { row, text, column } of names) {
      const [one, ...others] = found.get(text.toLowerCase()) ?? []
      const refuse = (code: 'unknown_name' | 'ambiguous_name', message: string, told: string[]): void => {
        row.problems.push({ column, value: text.slice(0, 200), field, code, message, told })
      }
      if (one && others.length === 0) row.body[field] = one.id
      else if (!one) refuse('unknown_name', 'is the name of no record', [])
      else {
        const candidates = [one, ...others].map(
          ({ id, title, also }) => `${title ?? ''} (${also === null ? `id ${id}` : `${also}, id ${id}`})`,
        )
        refuse('ambiguous_name', `may be ${candidates.join(' or ')}`, candidates)
      }
    }
  }
}

/** Finds the records of rows by the field that they are matched by. */
export async function findRecords(service: Service, { match }: ImportSettings, reads: readonly ReadRow[]) {
  const keys = reads.flatMap(({ key, problems }) => (key === null || problems.length > 0 ? [] : [key]))
  const found = match === null ? new Map<string, LookUpResult[]>() : await lookUp(service, match, keys)
  return new Map([...found].flatMap(([key, [one]]) => (one ? [[key, one.id] as const] : [])))
}

async function lookUp(
  service: Service,
  field: string,
  values: readonly string[],
): Promise<Map<string, LookUpResult[]>> {
  const different = [...new Map(values.map((value) => [value.toLowerCase(), value])).values()]
  const found = new Map<string, LookUpResult[]>()
  for (let at = 0; at < different.length; at += lookedUpMax) {
    const asked = different.slice(at, at + lookedUpMax)
    for (const one of await service.lookUp(field, asked)) {
      const key = (asked[one.place] as string).toLowerCase()
      found.set(key, [...(found.get(key) ?? []), one])
    }
  }
  return found
}
