import { replaceInvisible } from '#registry/invisible.ts'

/** Spells each invisible, direction and control character as its code point, as in `<U+200B>`. */
export const visibleText = (text: string): string => replaceInvisible(text, (codePoint) => `<${codePoint}>`)
