/** Thrown when the bundled PostgreSQL cannot be used. The message says what happened, then what the operator does. */
export class EmbeddedProblem extends Error {
  override name = 'EmbeddedProblem'
}

/** Creates the problem for an error of the file system. `remedy` is another way out. */
export function createFileProblem(error: unknown, path: string, remedy: string = otherFolder): EmbeddedProblem {
  const sentence = formatFileTrouble(findErrorCode(error), path, remedy) ?? `${path} cannot be used: ${String(error)}.`
  return new EmbeddedProblem(sentence, { cause: error })
}

const otherFolder = 'set PLUMBLINE_DATA to a folder of your own, or set DATABASE_URL'

/** Returns whether PostgreSQL refused to start because a process of the cluster has its shared memory. */
export const isMemoryInUse = (output: string): boolean => output.includes('pre-existing shared memory block')

/** Returns whether PostgreSQL refused to start because another process is at work on its cluster, or was until now. */
export const isClusterInUse = (output: string): boolean =>
  (output.includes('lock file "') && /" (already exists|is empty)/.test(output)) || isMemoryInUse(output)

export const isDiskFull = (output: string): boolean => /No space left|quota exceeded/i.test(output)

/** Returns whether a rename or a link failed because the new name is taken. */
export const isNameTaken = (error: unknown): boolean => ['ENOTEMPTY', 'EEXIST'].includes(findErrorCode(error) ?? '')

/** Creates the problem for the output of one of PostgreSQL's programs. */
export function createProgramProblem(output: string, step: string, folder: string): EmbeddedProblem {
  if (isDiskFull(output)) return createFileProblem({ code: 'ENOSPC' }, folder)
  if (/could not look up effective user ID/.test(output))
    return new EmbeddedProblem(
      'PostgreSQL needs a user name and this user id has none: add a line for it to /etc/passwd, or set DATABASE_URL.',
    )
  return new EmbeddedProblem(`PostgreSQL failed to ${step} in ${folder}: ${formatProgramOutput(output)}`)
}

/** Throws if one of PostgreSQL's programs failed or logged an error. */
export function checkProgram({ ok, output }: { ok: boolean; output: string }, step: string, folder: string): void {
  if (!ok || /\b(ERROR|FATAL|PANIC):/.test(output)) throw createProgramProblem(output, step, folder)
}

export const findErrorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined

/** Returns undefined if the path of the work does not exist. */
export const unlessAbsent = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  })

/** Returns undefined if the path does not exist. Any other error of the file system is thrown as a problem. */
export const ifExists = <T>(work: Promise<T>, path: string): Promise<T | undefined> =>
  unlessAbsent(work).catch((error: unknown) => {
    throw createFileProblem(error, path)
  })

/** Formats the lines that name an error as one line without time stamps, or the last lines if none does. */
export function formatProgramOutput(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^\S+ \S+ UTC \[\d+\] /, '').trim())
  const errors = lines.filter((line) =>
    /\b(PANIC|FATAL|ERROR|error|HINT|DETAIL):|could not|invalid|unrecognized/.test(line),
  )
  return (errors.length > 0 ? errors : lines.filter(Boolean)).slice(-4).join(' ') || 'it said nothing.'
}

/**
 * Formats a refusal of the file system: the path, the reason with its code, and what to do. `remedy` is another way
 * out, such as "set PLUMBLINE_BACKUP_TO to another folder". Returns undefined for a code that is not about the path.
 */
export function formatFileTrouble(code: string | undefined, path: string, remedy: string): string | undefined {
  const [reason, advice] = fileProblems[code ?? ''] ?? []
  return reason && `${path} ${reason} (${code}): ${advice}, or ${remedy}.`
}

/** Formats the error for a file that an operator named and that does not exist. */
export const formatNoSuchFile = (path: string): string => `No such file: ${path}.`

const fileProblems: { readonly [code: string]: readonly [reason: string, advice: string] } = {
  ENOSPC: ['is full', 'make room'],
  EDQUOT: ['is beyond the quota of its disk', 'make room or raise the quota'],
  EFBIG: ['takes no file of this size', 'raise the limit'],
  EROFS: ['is on a read-only disk', 'mount it for writing'],
  EACCES: ['may not be used by this user', 'give it to this user'],
  EPERM: ['may not be used by this user', 'give it to this user'],
  EIO: ['is on a disk that fails', 'look into the log of the system and replace the disk'],
  ENOTDIR: ['is not a folder, or lies below a file', 'remove the file that is in the way'],
  EISDIR: ['is a folder and not a file', 'name a file in it'],
  EEXIST: ['is not a folder', 'remove what is in the way'],
  ENOENT: ['is missing or was removed', 'bring it back, mounting its disk if it is not mounted'],
}
