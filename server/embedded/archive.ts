import { chmod, lchown, mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { weAreRoot } from './identity.ts'
import type { Location } from './location.ts'
import { codeOf, EmbeddedProblem, refusedBy } from './problem.ts'
import { shell } from './run.ts'
import type { Settings } from './settings.ts'

/** Where PostgreSQL archives its log, and how soon a change is handed to it at the latest. */
export type Archive = { folder: string; seconds: number }

/**
 * The settings of a server that archives: into a folder of this database's own. Rejects where that cannot be written, but
 * not where the last start used it, too: its disk is away, and PostgreSQL tries again until it is back.
 */
export async function archiving(location: Location, archive: Archive | null): Promise<Settings> {
  if (!archive) return {}
  const folder = archiveOf(archive.folder, await systemIdOf(location, location.cluster))
  const problem = await prepareFolder(location, archive.folder, folder)
  if (problem && !(await wasUsed(location, folder))) throw problem
  await shell(location.identity, handOverHistory, location.cluster)
  return { archive_mode: 'on', archive_command: archiveCommand(folder), archive_timeout: archive.seconds }
}

/**
 * What a restored cluster descends from is archived by the first start that archives, not by the restore: a copy that
 * somebody only looks at leaves no trace in the archive.
 */
const handOverHistory = `cd "$1/pg_wal" && for each in *.history; do
  test -e "$each" && test ! -e "archive_status/$each.done" && : >>"archive_status/$each.ready"; done`

/** Databases are told apart by PostgreSQL's number of each, so that one never finds the segments of another. */
export const archiveOf = (folder: string, systemId: string): string => join(resolve(folder), systemId)

/**
 * How a server that is being restored finds what was archived; without an archive there is nothing to find. `files` is a
 * pattern of the shell.
 */
export const restoreCommand = (folder: string | null, files: '*' | '*.history'): string =>
  folder === null ? 'false' : `case "%f" in ${files}) gzip -cd ${quoted(folder)}/%f.gz >"%p" ;; *) exit 1 ;; esac`

/**
 * Compressed, compared with the original, on the disk before it has its name, and never over anything that is there: a
 * segment that was archived before and is handed over again, after a crash, has to be the same.
 */
const archiveCommand = (folder: string): string =>
  [
    `umask 077; d=${quoted(folder)}; f="$d/%f.gz"; n="$f.$$.part"; trap 'rm -f "$n"' EXIT`,
    'if test -e "$f"; then gzip -cd "$f" | cmp -s - "%p" && exit 0; echo "$f is there and is another" >&2; exit 1; fi',
    'gzip -1c "%p" >"$n" && gzip -cd "$n" | cmp - "%p" && sync "$n" && mv -n "$n" "$f" && test ! -e "$n" && sync "$d"',
  ].join('; ')

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true

/** PostgreSQL keeps the settings of its last start. */
const wasUsed = async ({ identity, cluster }: Location, folder: string): Promise<boolean> =>
  (await shell(identity, 'grep -qF -- "$2" "$1/postmaster.opts"', cluster, quoted(folder))).ok

/** As one word of a shell, in a setting in which PostgreSQL replaces what begins with a percent sign. */
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`

/** The number that initdb drew: the first eight bytes of the control file. */
export async function systemIdOf({ identity }: Pick<Location, 'identity'>, cluster: string): Promise<string> {
  const { ok, output } = await shell(identity, 'od -An -N8 -tu8 "$1/global/pg_control"', cluster)
  const id = output.trim()
  if (ok && /^\d{1,20}$/.test(id)) return id
  throw new EmbeddedProblem(`${cluster}/global/pg_control cannot be read: ${id}`)
}

/** Makes it when it is missing, and gives it to PostgreSQL's user. Returns why it cannot be written. */
async function prepareFolder({ identity }: Location, archive: string, folder: string) {
  try {
    // Root's PostgreSQL is another user, who has to pass through.
    if ((await mkdir(archive, { recursive: true, mode: 0o700 })) && weAreRoot()) await chmod(archive, 0o711)
    await mkdir(folder, { mode: 0o700 })
    if (identity.other) await lchown(folder, identity.uid, identity.gid)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(archive)))
      return refusedBy(error, archive, 'set PLUMBLINE_ARCHIVE to another folder')
  }
  if ((await isFolder(folder)) && (await shell(identity, 'cd "$1" && test -w .', folder)).ok) return undefined
  return new EmbeddedProblem(
    `The user "${identity.name}", as whom PostgreSQL runs, cannot write in ${folder}: open its parent folders with "chmod o+x", give it to that user, or set PLUMBLINE_ARCHIVE to another folder.`,
  )
}
