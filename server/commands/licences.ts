import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The pages contain packages of others, whose licences must be distributed with them. */

const root = join(import.meta.dirname, '../..')

export type Part = { name: string; version: string; licence: string }

type Kind = 'dependencies' | 'optionalDependencies' | 'peerDependencies'
type Entry = Partial<Record<Kind, Record<string, string>>> & {
  version: string
  license?: string
  dev?: true
  devOptional?: true
}
type Lock = { packages: { [path: string]: Entry } }

export const readLock = async (): Promise<Lock> => JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))

/** Returns the packages of bundled modules as paths in node_modules. */
export const pathsOfModules = (files: readonly string[]): string[] =>
  [...new Set(files.flatMap((file) => packageOf(file) ?? []))].toSorted()

/** Returns the path of a file's package, as in the lockfile. */
function packageOf(file: string): string | undefined {
  const folder = 'node_modules/'
  const [first, last] = [file.indexOf(folder), file.lastIndexOf(folder) + folder.length]
  if (first < 0) return undefined
  const words = file.slice(last).split('/')
  const name = words.slice(0, words[0]?.startsWith('@') ? 2 : 1)
  return words.length > name.length ? file.slice(first, last) + name.join('/') : undefined
}

/** Returns the paths of a package and all its dependencies in node_modules. */
export function pathsBelow({ packages }: Lock, name: string): string[] {
  const found = new Set<string>()
  const add = (each: string, from: string): void => {
    const path = placeOf(packages, each, from)
    if (path === undefined || found.has(path)) return
    found.add(path)
    const { dependencies, peerDependencies } = packages[path] as Entry
    for (const inner of Object.keys({ ...dependencies, ...peerDependencies })) add(inner, path)
  }
  add(name, '')
  return [...found].toSorted()
}

/** Finds a package by Node's rule: in the nearest node_modules upwards. */
function placeOf(packages: Lock['packages'], name: string, from: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (packages[path] !== undefined) return path
  if (from === '') return undefined
  return placeOf(packages, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** Returns the packages of an installed server on any platform. */
export const pathsOfServer = ({ packages }: Lock): string[] =>
  Object.keys(packages)
    .filter((path) => path !== '' && !packages[path]?.dev && !packages[path]?.devOptional)
    .toSorted()

export function partAt({ packages }: Lock, path: string): Part {
  const { version = '', license = 'in its own file' } = packages[path] ?? {}
  return { name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version, licence: license }
}

/** Formats the licences that are distributed with the pages. */
export async function licenceText(lock: Lock, sections: { [title: string]: readonly string[] }): Promise<string> {
  const parts = Object.entries(sections).map(async ([title, paths]) => {
    const texts = await Promise.all(paths.map((path) => oneText(lock, path)))
    return [`# ${title}`, ...texts].join('\n\n')
  })
  return `${(await Promise.all(parts)).join('\n\n')}\n`
}

async function oneText(lock: Lock, path: string): Promise<string> {
  const { name, version, licence } = partAt(lock, path)
  const names = (await readdir(join(root, path))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const texts = await Promise.all(names.toSorted().map((file) => readFile(join(root, path, file), 'utf8')))
  const { author, repository } = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'))
  const by = [author?.name ?? author, repository?.url ?? repository].filter((word) => typeof word === 'string')
  const said =
    texts.length > 0 ? texts.map((text) => text.trim()) : [`By ${by.join(', ') || name}, without a text of it.`]
  return [`## ${name} ${version} (${licence})`, ...said].join('\n\n')
}
