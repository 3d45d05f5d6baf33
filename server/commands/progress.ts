import type { CommandContext } from './terminal.ts'

export type Progress = { tell(sentence: string): void; end(): void }

/** Steps that take longer than this are told. */
const timeoutMilliseconds = 1000

/** Says each step that takes its time, once it does. `end` is called when there is nothing more to say. */
export function startProgress(say: (sentence: string) => void): Progress {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => clearTimeout(timer)
  return {
    tell(sentence) {
      end()
      timer = setTimeout(() => say(sentence), timeoutMilliseconds)
      timer.unref()
    },
    end,
  }
}

/** On the standard error; with --json and --quiet that is for mistakes alone. */
export const progressOf = ({ terminal, wantsJson, isQuiet }: CommandContext): Progress =>
  startProgress((sentence) => {
    if (!wantsJson && !isQuiet) terminal.stderr.write(`${sentence}\n`)
  })

/** Says the steps of `work` that take their time, and none of them behind its end. */
export async function withProgress<T>(context: CommandContext, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = progressOf(context)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** Says how much of something is done, once a second. */
export function startShares(
  { terminal, wantsJson, isQuiet }: CommandContext,
  doing: string,
  whole = (total: number): string => `${(total / 1024 ** 2).toFixed(0)} MiB`,
) {
  let toldAt = performance.now()
  return (done: number, total: number): void => {
    if (wantsJson || isQuiet || performance.now() - toldAt < timeoutMilliseconds) return
    toldAt = performance.now()
    terminal.stderr.write(`${doing}: ${Math.floor((100 * done) / Math.max(total, 1))} % of ${whole(total)} …\n`)
  }
}
