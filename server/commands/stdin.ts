import { bodyBytesMax } from '#registry/limits.ts'
import { Mistake } from './mistake.ts'
import type { CommandContext } from './terminal.ts'

/** A word that may stand on the standard input instead, where no list of processes shows it. */
export async function readSecretWord(context: CommandContext, word: string | undefined): Promise<string | undefined> {
  return word === '-' ? (await readInput(context)).replace(/\r?\n$/, '') : word
}

/** All of the standard input, as text. */
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

/** The first line that somebody types; empty where there is none. */
export async function readLine({ terminal }: CommandContext): Promise<string> {
  let typed = ''
  for await (const chunk of terminal.stdin) {
    typed += Buffer.from(chunk as Uint8Array).toString('utf8')
    if (typed.includes('\n') || typed.length > 1000) break
  }
  return (typed.split('\n')[0] ?? '').trim()
}
