import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files whose calls fail at will, as those of a broken disk do. */
export type FailingFiles = {
  /** The environment of a program whose files they are. */
  environment: { [name: string]: string }
  /** From now on these calls fail on files whose path has this part. */
  fail(error: keyof typeof errors, calls: readonly FileCall[], part: string): void
  heal(): void
}
type FileCall = 'read' | 'write' | 'sync'

/** The numbers of Linux. */
const errors = { EIO: 5, EROFS: 30 }

/** Builds failing-files.c in a folder. Null where there is no C compiler, or no Linux. */
export function buildFailingFiles(folder: string): FailingFiles | null {
  const library = join(folder, 'failing-files.so')
  const source = join(import.meta.dirname, 'failing-files.c')
  if (process.platform !== 'linux') return null
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const file = join(folder, 'what-fails')
  return {
    environment: { LD_PRELOAD: library, FAILING_FILES: file },
    fail: (error, calls, part) => writeFileSync(file, `${errors[error]} ${calls.join()} ${part}\n`),
    heal: () => rmSync(file, { force: true }),
  }
}
