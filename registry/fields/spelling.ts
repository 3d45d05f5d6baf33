import { trimInvisible } from '../invisible.ts'

/** Spellings that differ and mean the same. */

/**
 * Returns a text with one spelling of blanks, dashes, digits and signs: Unicode's blanks as a space, its minus signs and
 * dashes as a hyphen, and full-width digits and signs as those of ASCII. Nothing invisible is left at the ends.
 */
export function spell(text: string): string {
  const bare = trimInvisible(text)
  if (isPlain.test(bare)) return bare
  return bare
    .replaceAll(/[\t\n\r\p{Zs}]/gu, ' ')
    .replaceAll(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-')
    .replaceAll(/[\uff05\uff08\uff09\uff0b\uff0c\uff0e-\uff1a]/g, (wide) =>
      String.fromCharCode(wide.charCodeAt(0) - fullWidth),
    )
    .normalize('NFC')
}

const isPlain = /^[ -~]*$/
const fullWidth = 0xff01 - 0x21

/** Reduces a label to its letters and digits: case, accents and signs do not count, and `Straße` equals `strasse`. */
export const foldLabel = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
