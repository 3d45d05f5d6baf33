import { join } from 'node:path'
import { formatViolations } from '../check.ts'
import { type Cuts, type CutTrial, tryCuts } from './cuts.ts'
import { type Flips, tryFlips } from './flips.ts'
import { prepareImage } from './image.ts'

type Asked = {
  cuts: number
  flips: number
  /** Cuts of a disk that had said that all was on it; one for each that many. */
  cutsPerLie?: number
  seed: number
  /** Where the histories are written. */
  folder: string
  restoreEvery?: number
  /** Hears how much of it is done. */
  onProgress?: (sentence: string) => void
  signal?: AbortSignal
}

export type DiskRun = Cuts & Flips & { seed: number; seconds: number }

/** Lets the disk lose what it had not promised to keep, and change what it keeps. */
export async function tryDisk(asked: Asked): Promise<DiskRun> {
  const { cuts, flips, cutsPerLie = 20, seed, folder, restoreEvery = 5, onProgress = () => {}, signal } = asked
  const since = performance.now()
  const ending = signal ? { signal } : {}
  const { image, token } = await prepareImage()
  try {
    const cut = await tryCuts({
      ...{ image, token, cuts, lies: Math.ceil(cuts / cutsPerLie), perKill: Math.min(10, cuts), seed },
      ...{ file: join(folder, 'cut.jsonl'), onTrial: (made) => onProgress(`${made} of ${cuts} cuts`), ...ending },
    })
    const flipped = await tryFlips({
      ...{ image, token, flips, seed, restoreEvery },
      ...{ onTrial: (made: number) => onProgress(`${made} of ${flips} changed bytes`), ...ending },
    })
    return { seed, seconds: Math.round((performance.now() - since) / 1000), ...cut, ...flipped }
  } finally {
    await image.remove()
  }
}

const isKept = ({ violations }: CutTrial): boolean => violations.length === 0

/** Says what a run found, and whether all was as promised. */
export function judgeDisk({ kills, cuts, lies, flips, seconds }: DiskRun): { lines: string[]; isWhole: boolean } {
  const broken = cuts.filter((trial) => !isKept(trial))
  const unseen = lies.filter(isKept)
  const wrong = flips.filter((trial) => trial.wrong.length > 0)
  const sum = (of: (trial: CutTrial) => number): number => cuts.reduce((total, trial) => total + of(trial), 0)
  const restored = flips.filter(({ mended }) => mended !== null)
  return {
    lines: [
      ...broken.flatMap(({ violations }) => formatViolations(violations)),
      ...wrong.flatMap((trial) => trial.wrong.map((what) => `WRONG ${trial.file}, page ${trial.page}: ${what}`)),
      `${cuts.length} cuts of what ${kills} kills left, ${broken.length} broken: ${sum((trial) => trial.acknowledged)} answered writes had to be there, ${sum((trial) => trial.repeated)} calls were sent again.`,
      `${lies.length} cuts of a disk that lied, ${unseen.length} of them not found.`,
      `${flips.length} changed bytes, ${wrong.length} wrong: ${flips.filter(({ refused }) => refused > 0).length} were met by callers, ${restored.length} backups were brought back.`,
      `${seconds} s.`,
    ],
    isWhole: broken.length + unseen.length + wrong.length === 0,
  }
}
