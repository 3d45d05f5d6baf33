import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Coding, codings } from '../protocol/entity-tags.ts'
import { type AcceptHeaders, codingFor, compressBytes, digestOf, inForm } from './codings.ts'
import type { HttpResponse, StoredFile } from './send.ts'

/** Returns a file of a package from the disk, in the caller's coding. */
export type StaticFile = (accepts: AcceptHeaders) => Promise<HttpResponse>

type Forms = { digest: string; plain: StoredFile; coded: { [coding in Coding]: StoredFile } }

/** Compressed once and sent for years: four times the effort of a fast one, for a tenth fewer bytes. */
const effort = { br: 9, gzip: 9 } as const

/** Beside the packages, which its files come from. */
const besidePackages = join(import.meta.dirname, '../../node_modules/.cache/plumbline')

/** Creates a file that is read and compressed on the first request. `folder` stores the compressed forms. */
export function storedFile(
  file: string,
  headers: { readonly [name: string]: string },
  folder: string = besidePackages,
): StaticFile {
  let forms: Promise<Forms> | undefined
  return async (accepts) => {
    forms ??= formsOf(file, folder)
    const { digest, plain, coded } = await forms.catch((error: unknown) => {
      forms = undefined
      throw error
    })
    const coding = codingFor(accepts)
    return inForm({ status: 200, headers, digest, coding }, accepts, () =>
      coding === undefined ? plain : coded[coding],
    )
  }
}

async function formsOf(file: string, folder: string): Promise<Forms> {
  const bytes = await readFile(file)
  const digest = digestOf(bytes)
  const made = async (coding: Coding): Promise<StoredFile> => {
    const name = `${digest}.${coding}`
    const known = await findStaticFile(join(folder, name))
    return known ?? keep(folder, name, await compressBytes(bytes, coding, effort[coding]))
  }
  const [br, gzip] = await Promise.all(codings.map(made))
  return { digest, plain: { path: file, bytes: bytes.length }, coded: { br, gzip } as Forms['coded'] }
}

async function findStaticFile(path: string): Promise<StoredFile | undefined> {
  const found = await statOf(path)
  return found && { path, bytes: found.size }
}

/** Returns undefined if there is no such file. */
const statOf = (path: string) =>
  stat(path).then(
    (found) => (found.isFile() ? found : undefined),
    () => undefined,
  )

const endings = { br: 'br', gzip: 'gz' } as const

/**
 * Returns a file of the current build, with the compressed forms beside it; undefined if there is none. Nothing is
 * cached, because a build may replace another while the service runs.
 */
export async function builtFile(
  file: string,
  headers: HttpResponse['headers'],
  accepts: AcceptHeaders,
): Promise<HttpResponse | undefined> {
  const found = await statOf(file)
  if (!found) return undefined
  const liked = codingFor(accepts)
  const coded = liked && (await findStaticFile(`${file}.${endings[liked]}`))
  const digest = digestOf(`${file} ${found.size} ${found.mtimeMs}`)
  const form = { status: 200, headers, digest, coding: coded && liked }
  return inForm(form, accepts, () => coded ?? { path: file, bytes: found.size })
}

/**
 * Writes a file atomically, even if several processes write it at once. Uses a temporary folder if the folder is
 * read-only.
 */
async function keep(folder: string, name: string, bytes: Buffer): Promise<StoredFile> {
  try {
    await mkdir(folder, { recursive: true })
    return await write(folder, name, bytes)
  } catch {
    const own = await mkdtemp(join(tmpdir(), 'plumbline-'))
    process.once('exit', () => rmSync(own, { recursive: true, force: true }))
    return write(own, name, bytes)
  }
}

async function write(folder: string, name: string, bytes: Buffer): Promise<StoredFile> {
  const path = join(folder, name)
  const half = `${path}.${randomUUID()}`
  await writeFile(half, bytes)
  await rename(half, path)
  return { path, bytes: bytes.length }
}
