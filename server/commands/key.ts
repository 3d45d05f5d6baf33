import type { Command } from 'commander'
import { formatCount } from '#derive/words.ts'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { beginChange, endChange, sealingKeys } from '../secret.ts'
import { countOpened, type KeyChange, rotateKeys } from '../service/rotate-keys.ts'
import { Mistake } from './mistake.ts'
import { addYes, type ConfirmOptions, confirm, needsConfirmation } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { withExisting } from './with-app.ts'

export function addKey(program: Command, context: CommandContext): void {
  const key = program.command('key').description('Change the key that seals tokens.')
  addYes(key.command('rotate'))
    .description(
      'Seal all tokens and demo passwords with another key: a new one in the data folder or, if PLUMBLINE_SECRET is set, that one instead of PLUMBLINE_SECRET_PREVIOUS.',
    )
    .addHelpText(
      'after',
      '\nTokens stay valid, and calls go on. If the command is interrupted, run it again to complete the change.\n\nExamples:\n  plumbline key rotate\n  PLUMBLINE_SECRET=… PLUMBLINE_SECRET_PREVIOUS=… plumbline key rotate',
    )
    .action(async (given: ConfirmOptions) =>
      context.say(await withExisting(context, ({ app }) => rotate(context, given, app))),
    )
}

async function rotate(context: CommandContext, given: ConfirmOptions, { config, database }: App) {
  const change = changeOf(config)
  const keys = sealingKeys(config)
  const { opened, unopened } = await countOpened(database, keys)
  if (opened === 0 && unopened > 0) {
    throw new Mistake(
      'No key that is given opens any of the tokens: bring back the key they were issued with, or set PLUMBLINE_SECRET_PREVIOUS to it.',
      'failed',
    )
  }
  if (needsConfirmation(context, given)) {
    await confirm(
      context,
      `This seals ${formatCount(opened, 'secret')} of all companies with a new key. A backup from before is restored with the present key: keep a copy of it.`,
    )
  }
  const rotation = await rotateKeys(database, keys, change)
  if (!rotation) throw new Mistake('Another rotation of the key is under way: wait until it has ended.', 'failed')
  const left = rotation.unopened
  return {
    json: { sealed_anew: rotation.sealedAnew, unopened: left },
    text: [
      `${formatCount(rotation.sealedAnew, 'secret')} sealed anew with ${config.secret === null ? 'the new key in the data folder' : 'the key of PLUMBLINE_SECRET'}.`,
      ...(config.secret === null ? [] : ['PLUMBLINE_SECRET_PREVIOUS is not needed any more.']),
      ...(left > 0
        ? [`${formatCount(left, 'secret')} open with none of the keys and stay as they are: rotate these tokens.`]
        : []),
    ].join(' '),
  }
}

function changeOf(config: Config): KeyChange {
  if (config.secret === null) return { begin: () => beginChange(config), end: () => endChange(config) }
  if (config.previousSecret === null || config.previousSecret === config.secret) {
    throw new Mistake(
      'The key is the one of PLUMBLINE_SECRET: set that to a new key and PLUMBLINE_SECRET_PREVIOUS to the present one, for the service too, and give the command again.',
      'config_invalid',
    )
  }
  return { begin: async () => undefined, end: async () => undefined }
}
