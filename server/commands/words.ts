import type { Command } from 'commander'
import { dayMilliseconds, momentOf } from '#derive/moment.ts'
import type { Definition } from '#registry/definition.ts'
import { isCalendarDay } from '#registry/fields/day.ts'
import { idMax } from '#registry/limits.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { Mistake } from './mistake.ts'

/** Parsers for the words of a command. Each takes the name of the word, for the message of a mistake. */

export const readId =
  (called: string) =>
  (word: string): number => {
    const id = /^[1-9]\d{0,15}$/.test(word) ? Number(word) : Number.NaN
    if (id <= idMax) return id
    throw new Mistake(`${called} must be a positive whole number and not ${JSON.stringify(word)}.`)
  }

export const readWhole =
  (called: string, least: number, most: number) =>
  (word: string): number => {
    const count = /^\d{1,15}$/.test(word) ? Number(word) : Number.NaN
    if (count >= least && count <= most) return count
    throw new Mistake(`${called} must be a whole number from ${least} to ${most} and not ${JSON.stringify(word)}.`)
  }

/** Parses a moment in UTC, or a day, which is its beginning. */
export const readMoment =
  (called: string) =>
  (word: string): Date => {
    const moment = momentOf(/^\d{4}-\d{2}-\d{2}$/.test(word) ? `${word}T00:00:00Z` : word)
    if (moment !== undefined) return new Date(moment)
    throw new Mistake(`${called} must be a day or a moment like 2026-03-31T12:00:00Z and not ${JSON.stringify(word)}.`)
  }

/** Parses a day of the calendar. */
export const readDay =
  (called: string) =>
  (word: string): string => {
    if (isCalendarDay(word)) return word
    throw new Mistake(`${called} must be a day like 2026-03-31 and not ${JSON.stringify(word)}.`)
  }

/** Parses the exclusive end of a range that includes the given day or moment. A day counts whole. */
export const readEnd =
  (called: string) =>
  (word: string): Date =>
    new Date(readMoment(called)(word).getTime() + (/^\d{4}-\d{2}-\d{2}$/.test(word) ? dayMilliseconds : 1))

/**
 * Adds a command about one company to the program or to a group. `examples` are texts after its name, in which {company}
 * and the like become ids of the database (`example-ids.ts`). Help has the `notes` before them.
 */
export const addingTo =
  (group: Command) =>
  (name: string, about: string, examples: string | readonly string[] = '--company {company}', notes = ''): Command => {
    const path = group.parent ? `plumbline ${group.name()} ${name}` : `plumbline ${name}`
    const lines = [examples].flat().map((words) => `  ${path} ${words}`)
    return group
      .command(name)
      .description(about)
      .requiredOption('--company <id>', 'the company', readId('--company'))
      .addHelpText('after', notes)
      .addHelpText('after', [lines.length > 1 ? '\nExamples:' : '\nExample:', ...lines].join('\n'))
  }

/** Parses names separated by commas, or `none`, or `all` if there is a list of all. */
export const readList =
  (called: string, all?: readonly string[]) =>
  (word: string): string[] => {
    if (all && word === 'all') return [...all]
    if (word === 'none') return []
    const names = word.split(',').map((name) => name.trim())
    if (names.every((name) => name !== '')) return [...new Set(names)]
    throw new Mistake(
      `${called} must be names with one comma between two of them, or none, and not ${JSON.stringify(word)}.`,
    )
  }

/** Parses the name of a resource. */
export function readRecords(word: string): Definition {
  const definition = definitionOf(registry, word)
  if (definition) return definition
  throw new Mistake(
    `There is no kind of records ${JSON.stringify(word)}: name one of ${registry.map(({ name }) => name).join(', ')}.`,
  )
}

/** Parses one of some words. `values` are what they stand for, if that is not the words themselves. */
export const oneOf =
  <Value extends string>(
    called: string,
    words: readonly string[],
    values: readonly Value[] = words as readonly Value[],
  ) =>
  (word: string): Value => {
    const value = values[words.indexOf(word)]
    if (value !== undefined) return value
    throw new Mistake(`${called} must be ${words.join(' or ')} and not ${JSON.stringify(word)}.`)
  }
