import type { Command } from 'commander'
import { createProgram } from '#server/commands/program.ts'

/** Returns the program with all commands, as for its help. Nothing of it can be run. */
export function createWholeProgram(): Promise<Command> {
  const context = { terminal: { words: [] }, environment: {} }
  return createProgram(context as unknown as Parameters<typeof createProgram>[0], () => undefined)
}
