/**
 * Characters that a reader does not see or that turn a text around: controls, direction marks, what Unicode lets a
 * reader ignore, and the blank pattern of Braille. `email_key` of the database has the same ones.
 */
const invisible = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/gu

/** Returns the first invisible character, as in `U+200B`. */
export function invisibleIn(text: string): string | undefined {
  const [found] = text.match(invisible) ?? []
  return found === undefined ? undefined : formatCodePoint(found)
}

/** Returns a text without its invisible characters. */
export const removeInvisible = (text: string): string => text.replaceAll(invisible, '')

/** Returns the name of a character by its number, such as `U+200B`. */
export const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

/** Blanks, and the characters that no reader sees; but for those that choose the shape of the character before them. */
const edge = /[\s\u2800]|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u

/** Returns a text without blanks and invisible characters at its ends. */
export function trimInvisible(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && edge.test(text.charAt(start))) start += 1
  while (end > start && edge.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
