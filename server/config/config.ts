import { readFileSync } from 'node:fs'
import { type Config, type Setting, settingsByKey } from './settings.ts'

export type { Config } from './settings.ts'

type Environment = { readonly [name: string]: string | undefined }

/** Parses the settings in the environment. Throws a `ConfigProblem` if any is invalid. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const config: { [key: string]: unknown } = {}
  for (const [key, setting] of Object.entries<Setting>(settingsByKey)) {
    const text = textOf(setting, environment)
    const value = setting.read(text, config)
    if (value === undefined) problems.push(`${setting.name} must be ${setting.mustFor?.(text) ?? setting.must}.`)
    else config[key] = value
  }
  if (problems.length > 0) throw new ConfigProblem(problems)
  return config as Config
}

/** Thrown when settings are invalid. The message has a line for each of them. */
export class ConfigProblem extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigProblem'
  }
}

export const settings: readonly Setting[] = Object.values(settingsByKey)

/** Returns the text in force for each setting, with secrets masked. */
export const shownSettings = (environment: Environment) =>
  settings.map((setting) => {
    const { name, secret } = setting
    const value = textOf(setting, environment)
    return { name, value: secret && value !== '' ? '••••••' : value, given: isGiven(name, environment) }
  })

/** Formats `.env.example`. */
export const envExample = (): string =>
  [
    '# The settings of Plumbline with the values they have when nothing is given. The environment goes before this file.',
    '# Made by: bin/plumbline config --example > .env.example',
    ...settings.flatMap(({ name, about, initial }) => ['', `# ${about}`, `${name}=${initial}`]),
    '',
  ].join('\n')

const isGiven = (name: string, environment: Environment): boolean => Boolean(environment[name]?.trim())

const textOf = ({ name, initial }: Setting, environment: Environment): string => environment[name]?.trim() || initial

export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
