import { table } from './table.ts'

/** Profiles of `node --cpu-prof` are read here: the processor time of each file. */

/** The used parts of the file. Times are microseconds of one clock. */
export type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** Time spent in functions themselves, file by file, most first; shares are of the time the process was busy. */
export type BusyTime = { milliseconds: number; idleShare: number; files: BusyFile[] }
export type BusyFile = { file: string; share: number; functions: { name: string; share: number }[] }

/** Counts the samples from `from` to `to`, and none of the start and the end of the process. */
export function busyBetween(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  from: number,
  to: number,
  root: string,
): BusyTime {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const files = new Map<string, Map<string, number>>()
  let [at, busy, idle] = [startTime, 0, 0]
  for (const [index, id] of samples.entries()) {
    const taken = timeDeltas[index] as number
    at += taken
    if (at < from || at > to) continue
    const { functionName, url, lineNumber } = frames.get(id) as CpuProfile['nodes'][0]['callFrame']
    if (functionName === '(idle)') {
      idle += taken
      continue
    }
    busy += taken
    const file = fileOf(url, root)
    const functions = files.get(file) ?? new Map<string, number>()
    const name = url === '' ? functionName : `${functionName || '(anonymous)'}:${lineNumber + 1}`
    files.set(file, functions.set(name, (functions.get(name) ?? 0) + taken))
  }
  const share = (microseconds: number): number => microseconds / Math.max(busy, 1)
  return {
    milliseconds: busy / 1000,
    idleShare: idle / Math.max(busy + idle, 1),
    files: [...files]
      .map(([file, functions]) => ({
        file,
        share: share([...functions.values()].reduce((sum, taken) => sum + taken, 0)),
        functions: [...functions].map(([name, taken]) => ({ name, share: share(taken) })).sort(byShare),
      }))
      .sort(byShare),
  }
}

const byShare = (one: { share: number }, other: { share: number }): number => other.share - one.share

/** Returns the file of a function. Parts of the runtime have a name in brackets, as have functions in C++. */
function fileOf(url: string, root: string): string {
  if (url === '') return '(runtime)'
  return url.replace(`file://${root}/`, '').replace(/^(file:\/\/)?.*node_modules\//, 'node_modules/')
}

const shareMin = 0.004

export function busyTable({ files }: BusyTime, requests: number, milliseconds: number): string {
  const micros = (share: number): string => ((share * milliseconds * 1000) / Math.max(requests, 1)).toFixed(1)
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
  return table(
    ['self time', 'share', 'µs/request'],
    files
      .filter(({ share }) => share >= shareMin)
      .flatMap(({ file, share, functions }) => [
        [file, percent(share), micros(share)],
        ...functions
          .filter((own) => own.share >= shareMin)
          .map((own) => [`    ${own.name}`, percent(own.share), micros(own.share)]),
      ]),
  )
}
