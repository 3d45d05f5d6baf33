import { formatNumber } from '../../bench/table.ts'
import type { Attack } from './attack.ts'
import type { Series, Trial } from './trial.ts'

/** Whatever an attack does, the log grows with time and not with requests. */
const logBytesMax = 256 * 1024

/** Whatever does not hold, a sentence each; nothing where all does. */
export function verdictOf({ bounds }: Attack, trial: Trial): string[] {
  const { outcome, others, memory, bugs } = trial
  const wrong: string[] = []
  if (outcome.requests === 0 && outcome.sockets === 0) wrong.push('The attack did not reach the process at all.')
  if (others.asked === 0) wrong.push('Nobody else asked for anything.')
  if (others.answered < others.asked) {
    const why = Object.entries(others.failures).map(([reason, count]) => `${count} × ${reason}`)
    wrong.push(`${others.asked - others.answered} of ${others.asked} of the others were not served: ${why.join(', ')}.`)
  }
  const grown = memory.peak === null ? null : memory.peak - memory.before
  if (grown === null) wrong.push('The process did not survive.')
  else if (grown > bounds.memory.most)
    wrong.push(
      `It took ${formatNumber(grown)} MB; at most ${bounds.memory.most} are right, for ${bounds.memory.because}.`,
    )
  const kilobytes = answeredKilobytes(trial)
  if (kilobytes > bounds.answered.most)
    wrong.push(
      `It was answered ${formatNumber(kilobytes)} KB for a request; at most ${bounds.answered.most} are right, for ${bounds.answered.because}.`,
    )
  if (trial.logBytes > logBytesMax) wrong.push(`It left ${formatNumber(trial.logBytes / 1024)} KB in the log.`)
  for (const status of bounds.never?.statuses ?? []) {
    const count = outcome.statuses[status] ?? 0
    if (count > 0) wrong.push(`${count} × ${status}, though ${bounds.never?.because}.`)
  }
  const failed = Math.max(bugs ?? 0, outcome.statuses[500] ?? 0)
  if (failed > 0) wrong.push(`${failed} × 500: something was not expected.`)
  else if (bugs === null && grown !== null) wrong.push('The process says nothing of itself.')
  return wrong
}

const answeredKilobytes = ({ outcome }: Trial): number => outcome.answeredBytes / 1024 / Math.max(1, outcome.requests)

/** What is asked of a long run besides: the others wait a little longer at most, and a small machine is enough. */
export const p99RatioMax = 5
export const residentMegabytesMax = 512

export function longVerdictOf(attack: Attack, trial: Trial): string[] {
  const { quiet, beside, memory } = trial
  const wrong = verdictOf(attack, trial)
  const ratio = beside.p99 / quiet.p99
  const ratioMax = attack.bounds.p99Ratio?.most ?? p99RatioMax
  if (ratio > ratioMax)
    wrong.push(`p99 of the others is ${formatNumber(ratio, 1)} times the quiet one; at most ${ratioMax} is asked.`)
  if ((memory.peak ?? 0) > residentMegabytesMax)
    wrong.push(`It held ${formatNumber(memory.peak)} MB; a machine of ${residentMegabytesMax} is asked to be enough.`)
  return wrong
}

/** After a sweep the disk has at most so much more than the rows that are kept on purpose take, as a share of these. */
export const diskOverMax = 0.1

/** What is wrong with a process that met every attack, one after the other: with its memory, and with what it left on the disk. */
export function seriesVerdictOf({ peakMegabytes, kept }: Series): string[] {
  if (peakMegabytes === null) return ['The process did not survive the series.']
  const wrong: string[] = []
  if (peakMegabytes > residentMegabytesMax)
    wrong.push(`It held ${formatNumber(peakMegabytes)} MB in the series; at most ${residentMegabytesMax} are asked.`)
  if (!(kept.bytes <= kept.onPurpose * (1 + diskOverMax)))
    wrong.push(
      `After a sweep the tables have ${formatNumber(kept.bytes / 2 ** 20)} MB; what is kept on purpose takes ${formatNumber(kept.onPurpose / 2 ** 20)}, and a tenth more is allowed.`,
    )
  return wrong
}
