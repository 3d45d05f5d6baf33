import { readdirSync, readFileSync } from 'node:fs'

/** The most that a process has ever held at once, in megabytes, as the kernel counts it (proc(5), VmHWM). */
export function peakMegabytes(pid: number): number {
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (peak === undefined) throw new Error(`process ${pid} has ended`)
  return Number(peak) / 1024
}

/** How many files, sockets among them, a process has open. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
