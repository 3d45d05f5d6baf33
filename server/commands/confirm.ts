import type { Command } from 'commander'
import { Mistake } from './mistake.ts'
import { readLine } from './stdin.ts'
import type { CommandContext } from './terminal.ts'

/** The option of every command that asks before it does something. */
export type ConfirmOptions = { yes?: true | undefined }

/** Adds `--yes` to a command that asks before it does something. */
export const addYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation on a terminal')

/** Whether somebody is asked: on a terminal alone, because scripts cannot answer. */
export const needsConfirmation = ({ wantsJson, terminal }: CommandContext, { yes }: ConfirmOptions): boolean =>
  !yes && !wantsJson && terminal.stdin.isTTY === true

/** Says what will happen and waits for "y". Throws if the answer is another one. */
export async function confirm(context: CommandContext, what: string): Promise<void> {
  context.terminal.stderr.write(`${what}\nType "y" to go on: `)
  const typed = (await readLine(context)).toLowerCase()
  if (typed !== 'y' && typed !== 'yes') throw new Mistake('Nothing was changed.', 'failed')
}
