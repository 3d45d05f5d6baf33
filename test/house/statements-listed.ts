import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The statements of a checkout that are written, and those of them that no example of a statement shows. */
export function statementsOf(root: string): { written: string[]; unlisted: string[] } {
  const read = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      // What a distributed database is asked instead of another statement is shown by that one.
      .filter((file) => file.endsWith('.ts') && !/^(statement|batchable)\.ts$|^citus|test/.test(file))
      .map((file) => readFileSync(join(root, folder, file), 'utf8'))
  const listed = read('bench/plans/statements').join('\n')
  const written = read('sql').flatMap((text) =>
    text
      .split(/^(?=export )/m)
      .filter((text) => /^[^{]*?\)?: (Statement|BatchableRead)\b/m.test(text.split(/=>\s*\n|\{\n/)[0] as string))
      .flatMap((text) => /^export (?:const|function) (\w+)/.exec(text)?.[1] ?? []),
  )
  return { written, unlisted: written.filter((name) => !new RegExp(`\\b${name}\\(`).test(listed)) }
}
