/**
 * Formats a refusal of the file system as a sentence: the folder or file, the reason with its code, and what to do.
 * `remedy` is the way around it, such as "set PLUMBLINE_BACKUP_TO to another folder". Returns undefined for a code that
 * says nothing about the path.
 */
export function formatFileTrouble(code: string | undefined, path: string, remedy: string): string | undefined {
  const [reason, advice] = sentences[code ?? ''] ?? []
  return reason && `${path} ${reason} (${code}): ${advice}, or ${remedy}.`
}

/** Formats the error for a file that an operator named and that does not exist. */
export const formatNoSuchFile = (path: string): string => `No such file: ${path}.`

/** What is wrong with a path, and what the operator does about it there. */
const sentences: { readonly [code: string]: readonly [reason: string, advice: string] } = {
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
