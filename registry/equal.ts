/**
 * Texts that people see as equal: they differ in capitals, in the form of a final sigma, or in how a letter and its accent
 * are composed (NFC). Unique values, external references and the locks on them are compared by this key.
 */

/**
 * The letters of Unicode 17 with another case: a letter, or from the first to the last of a row (`/2`: every second one),
 * and the small letter of the first. By simple case folding, but composed letters, which are taken apart before.
 *
 * It is a table of our own because `lower` of PostgreSQL depends on the locale of the database, and that of Node.js on its
 * version. `fold_case` of the database has it from here, and indexes have its results: it never changes without new indexes.
 */
const rows = `
  b5>3bc c6>e6 d0>f0 d8>f8 de>fe 110>111 126>127 132>133 13f-141/2>140 14a>14b 152>153 166>167 17f>73 181>253
  182-184/2>183 186>254 187>188 189-18a>256 18b>18c 18e>1dd 18f>259 190>25b 191>192 193>260 194>263 196>269
  197>268 198>199 19c>26f 19d>272 19f>275 1a2-1a4/2>1a3 1a6>280 1a7>1a8 1a9>283 1ac>1ad 1ae>288 1b1-1b2>28a
  1b3-1b5/2>1b4 1b7>292 1b8>1b9 1bc>1bd 1c4>1c6 1c5>1c6 1c7>1c9 1c8>1c9 1ca>1cc 1cb>1cc 1e4>1e5 1f1>1f3 1f2>1f3
  1f6>195 1f7>1bf 21c>21d 220>19e 222-224/2>223 23a>2c65 23b>23c 23d>19a 23e>2c66 241>242 243>180 244>289
  245>28c 246-24e/2>247 370-372/2>371 376>377 37f>3f3 391-3a1>3b1 3a3-3a9>3c3 3c2>3c3 3cf>3d7 3d0>3b2 3d1>3b8
  3d5>3c6 3d6>3c0 3d8-3ee/2>3d9 3f0>3ba 3f1>3c1 3f4>3b8 3f5>3b5 3f7>3f8 3f9>3f2 3fa>3fb 3fd-3ff>37b
  402-404/2>452 405-406>455 408-40b>458 40f>45f 410-418>430 41a-42f>43a 460-474/2>461 478-480/2>479
  48a-4be/2>48b 4c0>4cf 4c3-4cd/2>4c4 4d4>4d5 4d8>4d9 4e0>4e1 4e8>4e9 4f6>4f7 4fa-52e/2>4fb 531-556>561
  10a0-10c5>2d00 10c7>2d27 10cd>2d2d 13a0-13ef>ab70 13f0-13f5>13f8 1c80>432 1c81>434 1c82>43e 1c83-1c84>441
  1c85>442 1c86>44a 1c87>463 1c88>a64b 1c89>1c8a 1c90-1cba>10d0 1cbd-1cbf>10fd 1e9e>df 1efa-1efe/2>1efb
  2132>214e 2160-216f>2170 2183>2184 24b6-24cf>24d0 2c00-2c2f>2c30 2c60>2c61 2c62>26b 2c63>1d7d 2c64>27d
  2c67-2c6b/2>2c68 2c6d>251 2c6e>271 2c6f>250 2c70>252 2c72>2c73 2c75>2c76 2c7e-2c7f>23f 2c80-2ce2/2>2c81
  2ceb-2ced/2>2cec 2cf2>2cf3 a640-a66c/2>a641 a680-a69a/2>a681 a722-a72e/2>a723 a732-a76e/2>a733
  a779-a77b/2>a77a a77d>1d79 a77e-a786/2>a77f a78b>a78c a78d>265 a790-a792/2>a791 a796-a7a8/2>a797 a7aa>266
  a7ab>25c a7ac>261 a7ad>26c a7ae>26a a7b0>29e a7b1>287 a7b2>29d a7b3>ab53 a7b4-a7c2/2>a7b5 a7c4>a794 a7c5>282
  a7c6>1d8e a7c7-a7c9/2>a7c8 a7cb>264 a7cc-a7da/2>a7cd a7dc>19b a7f5>a7f6 ff21-ff3a>ff41 10400-10427>10428
  104b0-104d3>104d8 10570-1057a>10597 1057c-1058a>105a3 1058c-10592>105b3 10594-10595>105bb 10c80-10cb2>10cc0
  10d50-10d65>10d70 118a0-118bf>118c0 16e40-16e5f>16e60 16ea0-16eb8>16ebb 1e900-1e921>1e922`

/** Rows as code points: the first and last letter, the step, and the small letter of the first. */
const ranges = rows
  .trim()
  .split(/\s+/)
  .map((row) => {
    const [, first = '', last = first, step = '1', small = ''] = /^(\w+)(?:-(\w+))?(?:\/(2))?>(\w+)$/.exec(row) ?? []
    const [from, to, smallFrom] = [first, last, small].map((code) => Number.parseInt(code, 16)) as [
      number,
      number,
      number,
    ]
    return { from, to, step: Number(step), smallFrom }
  })

const pairs = ranges.flatMap(({ from, to, step, smallFrom }) =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => {
    const [letter, small] = [from, smallFrom].map((code) => String.fromCodePoint(code + index * step))
    return [letter, small] as [string, string]
  }),
)

const smallLetters: { readonly [letter: string]: string } = Object.fromEntries(pairs)

/** Returns the key of a text, which equal texts share. `equal_key` of the database returns the same one. */
export function equalKey(text: string): string {
  const small = text.normalize('NFD').replaceAll(/[^\0-\x7f]/gu, (letter) => smallLetters[letter] ?? letter)
  // The dotted capital of Turkish is an I with a dot above it.
  return lowerAscii(small).replaceAll('i\u0307', 'i').normalize('NFC')
}

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * The table for PostgreSQL: two texts of equal length for `translate`, and a class for a pattern that finds texts with such
 * letters (and a few small ones), because `translate` compares each character with each of the table.
 */
export const letterTable = tableOf(() => true)

/** The same for Greek and Cyrillic alone, which are most of what it is asked for. */
export const greekAndCyrillic = tableOf((code) => code > 0x390 && code < 0x430)

function tableOf(isOf: (code: number) => boolean) {
  const own = pairs.filter(([letter]) => isOf(letter.codePointAt(0) as number))
  const spell = (code: number) => `\\U${code.toString(16).padStart(8, '0')}`
  return {
    from: own.map(([letter]) => letter).join(''),
    to: own.map(([, small]) => small).join(''),
    class: `[${ranges
      .filter(({ from }) => isOf(from))
      .map(({ from, to }) => `${spell(from)}-${spell(to)}`)
      .join('')}]`,
  }
}
