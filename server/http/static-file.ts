import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Coding, codings } from '../protocol/entity-tags.ts'
import { type AcceptHeaders, codingFor, compressBytes, digestOf, inForm } from './codings.ts'
import type { HttpResponse, StoredFile } from './send.ts'

/** A file out of a package as it is sent, from the disk and in whichever coding. */
export type StaticFile = (accepts: AcceptHeaders) => Promise<HttpResponse>

type Forms = { digest: string; plain: StoredFile; coded: { [coding in Coding]: StoredFile } }

/** Made once for years of sending; four times the effort of a fast one, for a tenth less to send. */
const effort = { br: 9, gzip: 9 } as const

/** Beside the packages, which it is made from. */
const besidePackages = join(import.meta.dirname, '../../node_modules/.cache/plumbline')

/** Looked at, and compressed, when it is first asked for. `folder` keeps the compressed forms. */
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

/** Undefined where there is no such file. */
const statOf = (path: string) =>
  stat(path).then(
    (found) => (found.isFile() ? found : undefined),
    () => undefined,
  )

const endings = { br: 'br', gzip: 'gz' } as const

/**
 * A file of a build as it is now, with the compressed forms that the build put beside it; undefined where there is none.
 * A build takes the place of another while the service runs, so nothing is kept of it.
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

/** Whole or not at all, even where several processes make it at the same time. Where nothing may be written, a folder of our own for now. */
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
