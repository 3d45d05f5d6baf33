import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Part, partAt, pathsOfServer, readLock } from '../server/commands/licences.ts'

/** `npm run third-party` writes docs/third-party.md from package-lock.json and the built pages. */
const root = join(import.meta.dirname, '..')
export const page = 'docs/third-party.md'

/** Returns the page. The interface has to be built first. */
export async function thirdParty(): Promise<string> {
  const lock = await readLock()
  const server = pathsOfServer(lock).map((path) => partAt(lock, path))
  const shipped = await inPages()
  return `# What is shipped of others

Made by \`npm run third-party\`; a test compares it with \`package-lock.json\` and with the built pages.

The licences themselves go along: those of the server's packages in their folders below \`node_modules\`, those of the pages
in \`console/dist/licences.txt\`, which a service shows at \`/licences.txt\`. The pages use the
fonts of the reader's system; papers are drawn with Noto Sans (OFL, its licence in the folder of its package). Node.js (MIT and the licences of its parts) and PostgreSQL (PostgreSQL licence) come as packages,
one for each platform; a server installs those of its own.

## With the server

${table(server)}

${Object.entries(shipped)
  .map(([title, parts]) => `## ${title}\n\n${table(parts)}`)
  .join('\n\n')}
`
}

/** Reads the packages that the built pages name. */
async function inPages(): Promise<{ [title: string]: Part[] }> {
  const text = await readFile(join(root, 'console/dist/licences.txt'), 'utf8')
  const found: { [title: string]: Part[] } = {}
  for (const [, title, name, version, licence] of text.matchAll(/^# (In the .+)$|^## (\S+) (\d\S+) \((.+)\)$/gm)) {
    if (title !== undefined) found[title] = []
    else
      Object.values(found)
        .at(-1)
        ?.push({ name, version, licence } as Part)
  }
  return found
}

const table = (parts: readonly Part[]): string => {
  const rows = parts.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  return ['| package | version | licence |', '|---|---|---|', ...new Set(rows)].join('\n')
}

if (process.argv[1] === import.meta.filename) await writeFile(join(root, page), await thirdParty())
