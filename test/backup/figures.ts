import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What was tried so far, and what came of it. */
export type Figures = {
  postgres: string
  processors: number
  backups: Trials & { seconds: Counts; restoreSeconds: Counts }
  moments: Trials
  /** Seconds from an answer until what was answered is archived, with those of the setting. */
  loss: { archiveSeconds: number; seconds: Counts }
  /** A bit changed, or the end cut off, at a place drawn anew: refused by name, or in bytes that hold nothing. */
  damaged: { trials: number; refused: number; harmless: number }
  failures: string[]
}

/** How often something took so long, to a tenth of a second. */
type Counts = { [seconds: string]: number }

export function count(counts: Counts, milliseconds: number): void {
  const seconds = (milliseconds / 1000).toFixed(1)
  counts[seconds] = (counts[seconds] ?? 0) + 1
}

/** `writes`: answered writes that had to be there. */
type Trials = { trials: number; writes: number; lost: number; tooMuch: number; torn: number }

export const noFigures = (facts: Pick<Figures, 'postgres' | 'processors'>, archiveSeconds: number): Figures => ({
  ...facts,
  backups: { trials: 0, writes: 0, lost: 0, tooMuch: 0, torn: 0, seconds: {}, restoreSeconds: {} },
  moments: { trials: 0, writes: 0, lost: 0, tooMuch: 0, torn: 0 },
  loss: { archiveSeconds, seconds: {} },
  damaged: { trials: 0, refused: 0, harmless: 0 },
  failures: [],
})

export const readFigures = (output: string): Promise<Figures | undefined> =>
  readFile(`${output}.json`, 'utf8').then(
    (text) => JSON.parse(text) as Figures,
    () => undefined,
  )

export async function writeFigures(output: string, figures: Figures): Promise<void> {
  await mkdir(dirname(output), { recursive: true })
  await writeFile(`${output}.json`, `${JSON.stringify(figures, null, 2)}\n`)
  await writeFile(`${output}.md`, page(figures))
}

function page({ postgres, processors, backups, moments, loss, damaged, failures }: Figures): string {
  const rows = [
    [
      'backups made under load, each restored and compared',
      backups.trials,
      backups.lost,
      backups.tooMuch,
      backups.torn,
    ],
    ['moments restored from the archive and compared', moments.trials, moments.lost, moments.tooMuch, moments.torn],
  ]
  return `# Backups, tried

Made by \`npm run backups\`, which anyone can run for as long as they like; it goes on where it stopped. Four writers make
records by the services while each backup is made. A write counts where its answer came and the position of PostgreSQL's
log after it is before the end of the backup; for a moment, where its answer came before the moment. All tables of each
restored database are read by pages and by key, and have to be the same.

| what | trials | answered writes that were lost | writes that came later and were there | tables that differ |
|---|---|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

${backups.writes + moments.writes} answered writes had to be there. A backup took ${spread(backups.seconds)}, its restore ${spread(backups.restoreSeconds)}.

Of ${damaged.trials} copies that were damaged at a random place (a bit changed, or the end cut off), ${damaged.refused} were refused by the
name of the file and ${damaged.harmless} had the damage in bytes between files, where every file still had its checksum.

With \`PLUMBLINE_ARCHIVE_SECONDS=${loss.archiveSeconds}\` an answered write was in the archive after ${spread(loss.seconds)}: what is lost
with the machine is at most the seconds of the setting and the time that compressing a segment takes.

Failures: ${failures.length === 0 ? 'none' : failures.join('; ')}. PostgreSQL ${postgres}, ${processors} processors.
`
}

/** The median, and the most. */
function spread(counts: Counts): string {
  const all = Object.entries(counts).flatMap(([seconds, times]) => Array<number>(times).fill(Number(seconds)))
  const sorted = all.toSorted((one, other) => one - other)
  const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  return median === undefined ? 'a time not measured yet' : `${median} s (median; at most ${most} s)`
}
