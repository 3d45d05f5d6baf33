/**
 * Characters that a reader does not see or that turn a text around: controls, direction marks, what Unicode lets a
 * reader ignore, and the blank pattern of Braille. `email_key` of the database has the same ones.
 */
const invisible = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/u

/** Returns the first invisible character, as in `U+200B`. */
export function invisibleIn(text: string): string | undefined {
  const [found] = invisible.exec(text) ?? []
  return found === undefined ? undefined : formatCodePoint(found)
}

/** Returns a text with each invisible character replaced. */
export const replaceInvisible = (text: string, by: (codePoint: string) => string): string =>
  text.replaceAll(everyInvisible, (character) => by(formatCodePoint(character)))

const everyInvisible = new RegExp(invisible, 'gu')

const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
