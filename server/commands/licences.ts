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

/** A package with its licence, in the form in which Vite lists those of a build. */
export type Licence = { name: string; version: string; identifier?: string; text?: string }

/** Formats the licences that are distributed with the pages. */
export const licenceText = (sections: { [title: string]: readonly Licence[] }): string =>
  `${Object.entries(sections)
    .map(([title, licences]) => [`# ${title}`, ...licences.map(formatLicence)].join('\n\n'))
    .join('\n\n')}\n`

const formatLicence = ({ name, version, identifier, text = `By ${name}, without a text of it.` }: Licence): string =>
  `## ${name} ${version} (${identifier})\n\n${text}`

/** Reads the licence of a package at its path in node_modules, or who made it if it has no text. */
export async function licenceAt(lock: Lock, path: string): Promise<Licence> {
  const { name, version, licence } = partAt(lock, path)
  const names = (await readdir(join(root, path))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const texts = await Promise.all(names.toSorted().map((file) => readFile(join(root, path, file), 'utf8')))
  const { author, repository } = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'))
  const by = [author?.name ?? author, repository?.url ?? repository].filter((word) => typeof word === 'string')
  const text = texts.map((each) => each.trim()).join('\n\n') || `By ${by.join(', ') || name}, without a text of it.`
  return { name, version, identifier: licence, text }
}
