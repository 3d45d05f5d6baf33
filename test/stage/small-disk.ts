import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own in memory, which really gets full. */
export type SmallDisk = {
  folder: string
  resize(megabytes: number): void
  /** Takes what is left, down to the last byte or to so many bytes. */
  fill(leftBytes?: number): void
  makeReadOnly(): void
  makeWritable(): void
  remove(): void
}

/** Null where this user may not mount one. */
export function openSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-disk-'))
  const remount = (options: string): void => {
    execFileSync('mount', ['-o', `remount,${options}`, folder], { stdio: 'pipe' })
  }
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  return {
    folder,
    resize: (size) => remount(`size=${size}m`),
    fill(leftBytes = 0) {
      mkdirSync(join(folder, 'filler'), { recursive: true })
      for (const bytes of [1024 * 1024, 4096]) {
        try {
          for (;;) writeFileSync(join(folder, 'filler', `${bytes}`), Buffer.alloc(bytes), { flag: 'a' })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
      const largest = join(folder, 'filler', String(1024 * 1024))
      truncateSync(largest, statSync(largest).size - leftBytes)
    },
    makeReadOnly: () => remount('ro'),
    makeWritable: () => remount('rw'),
    remove() {
      execFileSync('umount', ['-l', folder], { stdio: 'pipe' })
      rmSync(folder, { recursive: true })
    },
  }
}

/** Says in the output of the tests that something was not tried, and why. */
export const notTried = (what: string): void =>
  void process.stderr.write(`NOT TRIED: ${what}, because this user may not mount a disk.\n`)

export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
