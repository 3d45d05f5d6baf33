import type { CommandContext } from './terminal.ts'

export type Progress = { tell(sentence: string): void; end(): void }

/** Only steps that take longer than this are printed. */
const timeoutMilliseconds = 1000

/** Prints each step once it takes longer than the limit. `end` cancels the last one. */
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

/** Returns the progress on the standard error. With --json or --quiet, only mistakes are printed there. */
export const progressOf = ({ terminal, wantsJson, isQuiet }: CommandContext): Progress =>
  startProgress((sentence) => {
    if (!wantsJson && !isQuiet) terminal.stderr.write(`${sentence}\n`)
  })

/** Prints the long steps of `work`, and none after its end. */
export async function withProgress<T>(context: CommandContext, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = progressOf(context)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** Prints the share of something that is done, at most once a second. */
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
