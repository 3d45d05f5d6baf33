import { createHash, hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { unlessAbsent } from '../embedded/problems.ts'
import { pour } from '../wait/wait.ts'
import { BackupProblem, format, type Manifest, manifestName, readManifest } from './manifest.ts'
import { hashChunks, readTar } from './tar.ts'
import { clusterArchive, clusterFolder } from './write-backup.ts'

/** Opens a backup. Throws if its manifest is missing or damaged. */
export async function openBackup(from: string) {
  const path = resolve(from)
  const there = await lstat(path).catch(() => undefined)
  if (!there) throw new BackupProblem(`${path} is not there: name a backup.`)
  const { manifest, archive, readKey } = there.isDirectory() ? await openFolder(path) : await openFile(path)
  return {
    manifest,
    extract: (cluster: string) => extractCluster(archive, manifest, cluster),
    /** Reads the keys in the backup by their names, and checks them like the files. */
    async keys(): Promise<Map<string, Buffer>> {
      const keys = new Map<string, Buffer>()
      for (const { path: name, bytes, sha256 } of manifest.files) {
        if (name.startsWith(clusterFolder)) continue
        const content = await readKey(name)
        if (!content) throw new BackupProblem(`${name} is missing in ${path}. Use another backup.`)
        if (content.length !== bytes || hash('sha256', content) !== sha256) throw damagedFile(name, path)
        keys.set(name, content)
      }
      return keys
    },
  }
}

async function openFolder(path: string) {
  const where = join(path, manifestName)
  const text = await unlessAbsent(readFile(where, 'utf8'))
  if (text === undefined)
    throw new BackupProblem(`${where} is missing: ${path} is no backup of Plumbline, or not a whole one.`)
  const manifest = readManifest<Manifest>(text, where, format)
  const readKey = (name: string) => readFile(join(path, name)).catch(() => undefined)
  return { manifest, archive: join(path, clusterArchive), readKey }
}

async function openFile(path: string) {
  const rest = new Map<string, Buffer>()
  for await (const { path: name, bytes, content } of readTar(path)) {
    // Only the keys and the manifest are read into memory: they are small.
    if (!name.startsWith(clusterFolder) && bytes <= aloneMax) rest.set(name, await buffer(content))
  }
  const text = rest.get(manifestName)
  if (!text)
    throw new BackupProblem(`${path} holds no ${manifestName}: it is no backup of Plumbline, or not a whole one.`)
  const manifest = readManifest<Manifest>(text.toString('utf8'), `${manifestName} in ${path}`, format)
  return { manifest, archive: path, readKey: async (name: string) => rest.get(name) }
}

const aloneMax = 256 * 1024 * 1024

const damagedFile = (path: string, where: string): BackupProblem =>
  new BackupProblem(`${path} in ${where} is damaged: it does not have its checksum. Use another backup.`)

/**
 * Writes the files of the cluster into a folder. Returns their paths, folders before their entries. Rejects with the name
 * of the first file that is missing or differs from the manifest.
 */
async function extractCluster(archive: string, { files }: Manifest, cluster: string): Promise<string[]> {
  const expected = new Map(files.filter(({ path }) => path.startsWith(clusterFolder)).map((file) => [file.path, file]))
  const paths: string[] = []
  if (!(await lstat(archive).catch(() => undefined)))
    throw new BackupProblem(`${archive} is missing. Use another backup.`)
  for await (const { path, type, bytes, content } of readTar(archive)) {
    if (!path.startsWith(clusterFolder)) continue
    const inside = checkPath(path.slice(clusterFolder.length).replace(/\/$/, ''), archive)
    if (type === 'directory') {
      if (inside !== '') await mkdir(join(cluster, inside), { mode: 0o700 })
    } else {
      const facts = expected.get(path)
      if (type !== 'file' || !facts)
        throw new BackupProblem(`${path} in ${archive} is not in the manifest. Use another backup.`)
      expected.delete(path)
      if (bytes !== facts.bytes || (await store(content, join(cluster, inside))) !== facts.sha256)
        throw damagedFile(path, archive)
    }
    if (inside !== '') paths.push(inside)
  }
  for (const path of expected.keys()) throw new BackupProblem(`${path} is missing in ${archive}. Use another backup.`)
  return paths
}

/** Throws if a path leads out of the folder. */
function checkPath(path: string, where: string): string {
  if (!path.startsWith('/') && !path.split('/').includes('..')) return path
  throw new BackupProblem(`${path} in ${where} leads out of the backup. Use another one.`)
}

/** Writes a new file. Returns its checksum. */
async function store(content: AsyncIterable<Uint8Array>, to: string): Promise<string> {
  const hash = createHash('sha256')
  await pour('a stop', [hashChunks(content, hash), createWriteStream(to, { flags: 'wx', mode: 0o600 })])
  return hash.digest('hex')
}
