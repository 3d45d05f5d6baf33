import { formatFileTrouble } from './file-trouble.ts'

/** The bundled PostgreSQL cannot be had: one sentence for the operator, saying what is wrong and what to do. */
export class EmbeddedProblem extends Error {
  override name = 'EmbeddedProblem'
}

/** The same for a refusal of the file system. `remedy` is the way around it. */
export function refusedBy(error: unknown, folder: string, remedy: string = elsewhere): EmbeddedProblem {
  const sentence = formatFileTrouble(codeOf(error), folder, remedy) ?? `${folder} cannot be used: ${String(error)}.`
  return new EmbeddedProblem(sentence, { cause: error })
}

/** The same for words of PostgreSQL's own programs. */
export function saidBy(words: string, doing: string, folder: string): EmbeddedProblem {
  if (/No space left on device|Disk quota exceeded/.test(words)) return refusedBy({ code: 'ENOSPC' }, folder)
  if (/could not look up effective user ID/.test(words))
    return new EmbeddedProblem(
      'PostgreSQL needs a user name and this user id has none: add a line for it to /etc/passwd, or set DATABASE_URL.',
    )
  return new EmbeddedProblem(`PostgreSQL failed to ${doing} in ${folder}: ${inShort(words)}`)
}

export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined

const elsewhere = 'set PLUMBLINE_DATA to a folder of your own, or set DATABASE_URL'

/** The lines that say something, without their time stamps, as one line. */
export function inShort(words: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.replace(/^\S+ \S+ UTC \[\d+\] /, '').trim())
    .filter(Boolean)
  const telling = lines.filter((line) =>
    /\b(PANIC|FATAL|ERROR|error|HINT|DETAIL):|could not|invalid|unrecognized/.test(line),
  )
  return (telling.length > 0 ? telling : lines).slice(-4).join(' ') || 'it said nothing.'
}
