import type { Command } from 'commander'
import { envExample, readConfig, settings, shownSettings } from '../config/config.ts'
import type { CommandContext, CommandResult } from './terminal.ts'

export function addConfig(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description('Show every setting with its value, the source of the value, and its meaning. Secrets are masked.')
    .option('--example', 'print the text of .env.example instead')
    .addHelpText(
      'after',
      `
Settings are read from the environment and, where it does not have them, from the file .env in the working directory.
The exit code is 2 if one of them is wrong.

Examples:
  plumbline config
  PORT=8080 plumbline config --json
  plumbline config --example > .env`,
    )
    .action(({ example }: { example?: true }) => {
      if (example) return context.say({ json: { example: envExample() }, text: envExample().trimEnd() })
      context.say(formatSettings(context))
      // Throws if a setting is invalid.
      readConfig(context.environment)
    })
}

function formatSettings({ environment, terminal }: CommandContext): CommandResult {
  const rows = shownSettings(environment).map(({ name, value, given }) => ({
    name,
    value,
    from: given ? (terminal.environment[name]?.trim() ? 'environment' : '.env') : 'default',
    about: settings.find((setting) => setting.name === name)?.about ?? '',
  }))
  const valueWidth = Math.max(...rows.map(({ value }) => value.length))
  return {
    json: { settings: rows },
    text: rows
      .map(
        ({ name, value, from, about }) => `${name.padEnd(21)}${value.padEnd(valueWidth + 2)}${from.padEnd(13)}${about}`,
      )
      .join('\n'),
  }
}
