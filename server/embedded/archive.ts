import { chmod, lchown, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { seen } from './folders.ts'
import { weAreRoot } from './identity.ts'
import type { Location } from './location.ts'
import { codeOf, EmbeddedProblem, refusedBy } from './problem.ts'
import { shell } from './run.ts'
import type { Settings } from './settings.ts'

/** Where PostgreSQL archives its log, and how soon a change is handed to it at the latest. */
export type Archive = { folder: string; seconds: number }

/** The settings of a server that archives: into a folder of this database's own. */
export async function archiving(location: Location, archive: Archive | null): Promise<Settings> {
  if (!archive) return {}
  const folder = await folderFor(location, resolve(archive.folder))
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

/** How a server that is being restored finds what was archived; without an archive there is nothing to find. */
export const restoreCommand = (folder: string | null): string =>
  folder === null ? 'false' : `gzip -cd ${quoted(folder)}/%f.gz >"%p"`

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

/** As one word of a shell, in a setting in which PostgreSQL replaces what begins with a percent sign. */
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`

/** The number that initdb drew: the first eight bytes of the control file. */
async function systemIdOf({ identity }: Pick<Location, 'identity'>, cluster: string): Promise<string> {
  const { ok, output } = await shell(identity, 'od -An -N8 -tu8 "$1/global/pg_control"', cluster)
  const id = output.trim()
  if (ok && /^\d{1,20}$/.test(id)) return id
  throw new EmbeddedProblem(`${cluster}/global/pg_control cannot be read: ${id}`)
}

/** Made when missing, and given to PostgreSQL's user. */
async function folderFor(location: Location, archive: string): Promise<string> {
  const { identity, cluster } = location
  const folder = archiveOf(archive, await systemIdOf(location, cluster))
  try {
    // Root's PostgreSQL is another user, who has to pass through.
    if ((await mkdir(archive, { recursive: true, mode: 0o700 })) && weAreRoot()) await chmod(archive, 0o711)
    await mkdir(folder, { mode: 0o700 })
    if (identity.other) await lchown(folder, identity.uid, identity.gid)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw refusedBy(error, archive)
  }
  if ((await seen(folder))?.isDirectory() && (await shell(identity, 'cd "$1" && test -w .', folder)).ok) return folder
  throw new EmbeddedProblem(
    `The user "${identity.name}", as whom PostgreSQL runs, cannot write in ${folder}: open its parent folders with "chmod o+x", give it to that user, or set PLUMBLINE_ARCHIVE to another folder.`,
  )
}
