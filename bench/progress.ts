/** The progress on the standard error: one line that is overwritten on a terminal, lines elsewhere. */
export type Progress = {
  /** Shows a bar with `done` of `of`. */
  bar(about: string, done: number, of: number): void
  say(sentence: string): void
  /** Removes the line. */
  end(): void
}

type ProgressOutput = { write(text: string): unknown; isTTY?: boolean }

export function createProgress(out: ProgressOutput): Progress {
  let last = ''
  const line = (text: string): void => {
    if (text === last) return
    last = text
    out.write(out.isTTY ? `\r\x1b[2K${text}` : `${text}\n`)
  }
  return {
    // Without a terminal, a line for every tenth is enough.
    bar: (about, done, of) => line(out.isTTY ? barLine(about, done, of) : tenths(about, done, of)),
    say: line,
    end() {
      if (out.isTTY && last !== '') out.write('\r\x1b[2K')
      last = ''
    },
  }
}

const barWidth = 30

export function barLine(about: string, done: number, of: number): string {
  const full = Math.round((barWidth * done) / Math.max(of, 1))
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${Math.floor((100 * done) / Math.max(of, 1))} % ${about}`
}

const tenths = (about: string, done: number, of: number): string =>
  `${about}: ${10 * Math.floor((10 * done) / Math.max(of, 1))} %`
