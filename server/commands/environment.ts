import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Mistake } from './mistake.ts'
import type { Environment, Terminal } from './terminal.ts'

/** The environment over the `.env` file of the working directory, where there is one. */
export const readEnvironment = ({ environment, folder }: Pick<Terminal, 'environment' | 'folder'>): Environment => ({
  ...readEnvFile(folder),
  ...environment,
})

function readEnvFile(folder: string): Environment {
  const file = join(folder, '.env')
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw new Mistake(`${file} cannot be read (${code ?? message}): make it readable for this user, or remove it.`)
  }
}
