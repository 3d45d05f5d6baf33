import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The program itself, as the tests of the house read it. */
const root = join(import.meta.dirname, '../..')

/** Every file of the program, as a path from the root: no tests, and nothing that is built. */
export const sourceFiles: readonly string[] = [
  'registry',
  'derive',
  'import',
  'sql',
  'server',
  'console',
  'clients',
].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && !/(^|\/)dist\//.test(name))
    .map((name) => join(folder, name)),
)

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** The lines of a folder that match, each behind the name of its file. */
export const linesWith = (folder: string, what: RegExp): string[] =>
  sourceFiles
    .filter((file) => file.startsWith(folder))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .filter((line) => what.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
