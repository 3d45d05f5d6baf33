import type pg from 'pg'
import type { Bell } from './bell.ts'

/**
 * Statements of the outside session: some while a call is under way and after a statement whose name begins so, and one that
 * ends what they began.
 */
export type OutsideScript = { during: string; after: string; acts: readonly OutsideStatement[]; end: OutsideStatement }
type OutsideStatement = { label: string; text: string }

/** Somebody with psql beside the service. */
export type OutsideSession = {
  pid: number
  /** Whether it has something to ask now. */
  canAsk(): boolean
  /** Asks it, and returns its label. */
  ask(): string
  /** What became of the last statement; null while it is not answered. */
  answer(): string | null
}

/** Goes through the scripts, each while its call is under way. */
export async function openOutside(
  client: pg.Client,
  scripts: OutsideScript[],
  { hasCome, answers }: { hasCome(call: string, statement: string): boolean; answers: Bell },
): Promise<OutsideSession> {
  const pid = (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number
  /** Of the first script. */
  let asked = 0
  let answer: string | null = 'nothing'
  const find = (): OutsideStatement | undefined => {
    const [script] = scripts
    if (!script || answer === null) return undefined
    const act = hasCome(script.during, script.after) ? script.acts[asked] : undefined
    return act ?? (asked > 0 ? script.end : undefined)
  }
  const note = (text: string): void => {
    answer = text
    answers.ring()
  }
  return {
    pid,
    canAsk: () => find() !== undefined,
    ask() {
      const { label, text } = find() as OutsideStatement
      asked++
      if (text === scripts[0]?.end.text) {
        scripts.shift()
        asked = 0
      }
      answer = null
      client.query(text).then(
        () => note('done'),
        (error) => note(error.code ?? 'lost'),
      )
      return label
    },
    answer: () => answer,
  }
}
