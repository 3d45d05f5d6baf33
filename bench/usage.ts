import { readdirSync, readFileSync } from 'node:fs'

/** The resources that a process has used so far, from /proc. */
export type Usage = { cpuSeconds: number; residentBytes: number }

export function usageOf(pid: number): Usage | undefined {
  const stat = statOf(pid)
  return stat && { cpuSeconds: stat.cpuSeconds, residentBytes: residentOf(pid) }
}

/** Returns the CPU seconds of all children of a process, even ended ones. PostgreSQL has one for each connection. */
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

/** The kernel reports CPU time to programs in hundredths of a second, at any rate of its own clock. */
const ticksPerSecond = 100

type Stat = { parent: number; cpuSeconds: number; endedChildrenCpuSeconds: number }

/** Reads /proc/<pid>/stat. The name in brackets may have any characters, so fields are counted after it (proc(5)). */
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
