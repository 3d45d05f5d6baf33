import type { Desk } from './terminal.ts'

export type Progress = { tell(sentence: string): void; end(): void }

/** Steps that take longer than this are told. */
const patienceMilliseconds = 1000

/** Says each step that takes its time, once it does. `end` is called when there is nothing more to say. */
export function startProgress(say: (sentence: string) => void): Progress {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => clearTimeout(timer)
  return {
    tell(sentence) {
      end()
      timer = setTimeout(() => say(sentence), patienceMilliseconds)
      timer.unref()
    },
    end,
  }
}

/** On the standard error; with --json that is for mistakes alone. */
export const progressOf = ({ terminal, wantsJson }: Desk): Progress =>
  startProgress((sentence) => {
    if (!wantsJson) terminal.stderr.write(`${sentence}\n`)
  })
