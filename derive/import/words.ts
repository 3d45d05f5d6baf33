import { alwaysOpen } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import { type Field, referenceOf } from '#registry/fields/index.ts'
import { trimInvisible } from '#registry/invisible.ts'
import { type JsonObject, memberOf } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { FileRow } from './file.ts'
import type { RowOutcome } from './importer.ts'
import type { ImportSettings } from './rows.ts'
import { targetsOf } from './targets.ts'

/** Words of a file that stand for other ones: decided once for all cells of their column. */

/** The text in place of a word, an empty one for an empty cell; true for a new record with the word as its name. */
export type Word = string | true

/** Column → key of a word → its replacement. */
export type Words = { readonly [column: string]: { readonly [key: string]: Word } }

/** Returns the key by which the cells with a word are equal. */
export const wordKey = (text: string): string => equalKey(trimInvisible(text))

/** Returns the replacement of a cell's word, if one was chosen. */
export function wordOf({ words }: Pick<ImportSettings, 'words'>, column: string, text: string): Word | undefined {
  const chosen = words && memberOf(words, column)
  return chosen && memberOf(chosen, wordKey(text))
}

/** Adds the replacement of a word; undefined removes it. */
export function withWord(words: Words = {}, column: string, text: string, word: Word | undefined): Words {
  const { [wordKey(text)]: _, ...others } = memberOf(words, column) ?? {}
  return { ...words, [column]: word === undefined ? others : { ...others, [wordKey(text)]: word } }
}

/** Returns the list of words that a reference leads to: its records have nothing but a name, and what the field says. */
export function wordListOf(field: Field | undefined): Definition | undefined {
  const reference = referenceOf(field)
  const list = reference && definitionOf(registry, reference.to)
  if (!list) return undefined
  const asked = Object.keys(list.fields).filter((name) => !list.fields[name]?.readOnly && !alwaysOpen.includes(name))
  return asked.every((name) => name === list.title || name === reference.only?.column) ? list : undefined
}

/** Returns the lists of words that records refer to. */
export const wordListsOf = ({ fields }: Definition): Definition[] => [
  ...new Set(Object.values(fields).flatMap((field) => wordListOf(field) ?? [])),
]

/** Returns the batch operation that creates a word in the list that a field refers to, but for its name in the batch. */
export function newWord(field: Field | undefined, text: string): JsonObject {
  const { to, only } = referenceOf(field) ?? {}
  const title = wordListOf(field)?.title
  if (to === undefined || title === undefined) throw new Error(`a new word ${text} has no list`)
  return { op: 'create', records: to, body: { [title]: text, ...(only && { [only.column]: only.value }) } }
}

/** A word that no value and no record of a list of words has, or had before it was decided. */
export type UnknownWord = {
  column: string
  path: string
  field: Field
  text: string
  /** Count of rows. */
  count: number
  word: Word | undefined
}

/** Returns the words that nothing has or that were decided, those of one column together. */
export function unknownWords(
  definition: Definition,
  settings: ImportSettings,
  columns: readonly string[],
  rows: readonly FileRow[],
  outcomes: readonly RowOutcome[],
): UnknownWord[] {
  const fields = new Map(targetsOf(definition).map(({ path, field }) => [path, field]))
  const found = new Map<string, UnknownWord>()
  const add = (column: string, text: string): void => {
    const path = memberOf(settings.columns, column) ?? ''
    const field = fields.get(path)
    if (!field || text === '') return
    const key = JSON.stringify([column, wordKey(text)])
    const known = found.get(key)
    if (known) known.count += 1
    else found.set(key, { column, path, field, text, count: 1, word: wordOf(settings, column, text) })
  }
  for (const { n, problems, emptied } of outcomes) {
    for (const column of Object.keys(settings.words ?? {})) {
      const text = rows[n]?.cells[columns.indexOf(column)] ?? ''
      if (wordOf(settings, column, text) !== undefined) add(column, trimInvisible(text))
    }
    for (const { column, code, field, value } of [...problems, ...emptied]) {
      const isWord = code === 'no_such_word' || (code === 'unknown_name' && wordListOf(fields.get(field)))
      if (column !== null && isWord && wordOf(settings, column, value) === undefined) add(column, value)
    }
  }
  return [...found.values()].toSorted((one, other) => columns.indexOf(one.column) - columns.indexOf(other.column))
}
