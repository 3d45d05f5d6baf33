import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export type Copy = {
  /** Name of the stage that it is copied from; undefined for the checkout. */
  stage: string | undefined
  paths: readonly string[]
  to: string
}

/** The last stage of deploy/Dockerfile, which is what runs. */
export function lastStage() {
  const text = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  const stage = text.slice(text.lastIndexOf('\nFROM ')).replaceAll('\\\n', ' ')
  const copies = [...stage.matchAll(/^COPY (?:--from=(\S+) )?(.+) (\S+)$/gm)].map(
    ([, from, paths = '', to = '']): Copy => ({ stage: from, paths: paths.split(' '), to }),
  )
  const [, set = ''] = /^ENV (.+)$/m.exec(stage) ?? []
  const environment = Object.fromEntries([...set.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))
  const [, user] = /^USER (\S+)$/m.exec(stage) ?? []
  const commands = [/^ENTRYPOINT (\[.+\])$/m, /^CMD (\[.+\])$/m].map((line) =>
    JSON.parse(line.exec(stage)?.[1] ?? '[]'),
  )
  return { copies, environment: environment as { [name: string]: string }, user, command: commands.flat() as string[] }
}

/** What deploy/Dockerfile.dockerignore keeps out of every COPY of the checkout. */
export const ignored: readonly string[] = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
