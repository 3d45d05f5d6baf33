import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyOf } from './copy.ts'
import { ownFolder } from './folders.ts'
import { linkMissing } from './links.ts'
import type { Location } from './location.ts'
import { type Machine, versionOf } from './machine.ts'
import { EmbeddedProblem } from './problem.ts'
import { shell } from './run.ts'

/** The folder of PostgreSQL's programs: where npm put them, or a copy where they cannot be run there. */
export async function findPrograms(machine: Machine, location: Location, progress: (sentence: string) => void) {
  const linked = await linkMissing(machine.package)
  if (linked && (await trial(location, machine.package)).ok) return programsIn(machine.package)

  const { version } = await versionOf(machine.package)
  const copy = await copyOf(machine.package, join(await parentOfCopy(machine, location), version), () =>
    progress(`Copying the bundled PostgreSQL to where the user "${location.identity.name}" can run it …`),
  )
  const tried = await trial(location, copy)
  if (tried.ok) return programsIn(copy)
  throw new EmbeddedProblem(
    `The bundled PostgreSQL does not run on this system, it needs Linux with glibc (not Alpine's musl) or macOS (${tried.output.trim()}): set DATABASE_URL to a PostgreSQL server.`,
  )
}

/** Really run, and its files read, as the user it will run as. */
const trial = ({ identity }: Location, folder: string) =>
  shell(
    identity,
    'test -r "$1/share/postgresql/postgres.bki" && "$1/bin/postgres" --version && "$1/bin/initdb" --version',
    join(folder, 'native'),
  )

/** Root's copy serves all its data folders, and PostgreSQL's user cannot change it; anybody else's is in the data folder. */
async function parentOfCopy({ shared }: Machine, { home, identity }: Location): Promise<string> {
  if (!identity.other) return home
  const parent = (await ownFolder(shared)) ?? (await ownFolder(join(tmpdir(), 'plumbline-postgres')))
  if (parent) return parent
  throw new EmbeddedProblem(
    `The user "${identity.name}", as whom PostgreSQL runs, cannot reach its programs, and neither ${shared} nor ${tmpdir()} can hold a copy: make one of them writable, or set DATABASE_URL.`,
  )
}

const programsIn = (folder: string): string => join(folder, 'native', 'bin')
