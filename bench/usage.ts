import { readdirSync, readFileSync } from 'node:fs'

/** What processes have used so far, from /proc; undefined on a system without it. */
export type Usage = { cpuSeconds: number; residentBytes: number }

export function usageOf(pid: number): Usage | undefined {
  const stat = statOf(pid)
  return stat && { cpuSeconds: stat.cpuSeconds, residentBytes: residentOf(pid) }
}

/** CPU seconds of all children of a process, those that have ended among them: PostgreSQL has one for each connection. */
export function childrenCpuSeconds(parent: number): number | undefined {
  const own = statOf(parent)
  if (!own) return undefined
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === parent)
  return children.reduce((sum, stat) => sum + (stat?.cpuSeconds ?? 0), own.endedChildrenCpuSeconds)
}

export const parentOf = (pid: number): number | undefined => statOf(pid)?.parent

/** The kernel counts CPU time for programs in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100

type Stat = { parent: number; cpuSeconds: number; endedChildrenCpuSeconds: number }

/** proc(5): the name in brackets may hold anything, so fields are counted from its end; `state` is the third. */
function statOf(pid: number): Stat | undefined {
  const text = readProcFile(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return {
    parent: field(4),
    cpuSeconds: (field(14) + field(15)) / ticksPerSecond,
    endedChildrenCpuSeconds: (field(16) + field(17)) / ticksPerSecond,
  }
}

const residentOf = (pid: number): number =>
  1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1] ?? 0)

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
