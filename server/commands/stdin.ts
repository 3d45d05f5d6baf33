import type { Command } from 'commander'
import { bodyBytesMax } from '#registry/limits.ts'
import { Mistake } from './mistake.ts'
import type { CommandContext } from './terminal.ts'

/** Reads a secret from the standard input if the word is "-", because process lists show the words of a command. */
export async function readSecretWord(context: CommandContext, word: string | undefined): Promise<string | undefined> {
  return word === '-' ? (await readInput(context)).replace(/\r?\n$/, '') : word
}

/** Reads the whole standard input as text. */
export async function readInput({ terminal }: CommandContext): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of terminal.stdin) {
    const buffer = Buffer.from(chunk as Uint8Array)
    chunks.push(buffer)
    bytes += buffer.length
    if (bytes > bodyBytesMax) throw new Mistake('The standard input is longer than 1 MiB: send less.')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new Mistake('The standard input is not UTF-8: send text in UTF-8.')
  }
}

/** Reads the first typed line. Returns an empty text if there is none. */
export async function readLine({ terminal }: CommandContext): Promise<string> {
  let typed = ''
  for await (const chunk of terminal.stdin) {
    typed += Buffer.from(chunk as Uint8Array).toString('utf8')
    if (typed.includes('\n') || typed.length > 1000) break
  }
  return (typed.split('\n')[0] ?? '').trim()
}

/** The option of every command that asks before it does something. */
export type ConfirmOptions = { yes?: true | undefined }

export const addYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation on a terminal')

/** Returns whether to ask for confirmation: on a terminal alone, because scripts cannot answer. */
export const needsConfirmation = ({ wantsJson, terminal }: CommandContext, { yes }: ConfirmOptions): boolean =>
  !yes && !wantsJson && terminal.stdin.isTTY === true

/** Prints what will happen and waits for "y". Throws if the answer is another one. */
export async function confirm(context: CommandContext, what: string): Promise<void> {
  context.terminal.stderr.write(`${what}\nType "y" to go on: `)
  const typed = (await readLine(context)).toLowerCase()
  if (typed !== 'y' && typed !== 'yes') throw new Mistake('Nothing was changed.', 'failed')
}
