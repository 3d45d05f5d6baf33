/**
 * Returns a function that takes the two forms of a sentence and returns its text for a count, by the plural rules of a
 * language. In the form `#` becomes the count as the language writes numbers.
 */
function createPluralizer(language: string): (one: string, other: string) => (count: number) => string {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (one, other) => (count) => (rules.select(count) === 'one' ? one : other).replace('#', numbers.format(count))
}

export const pluralizeEnglish = createPluralizer('en')
export const pluralizeGerman = createPluralizer('de')

const listedMax = 5

/** Lists the first texts and counts the others: "A, B and C", "A, B, C, D, E and 7 more". */
export function listFirst(texts: readonly string[], and: string, more: string): string {
  const [last, ...before] =
    texts.length > listedMax
      ? [`${texts.length - listedMax} ${more}`, ...texts.slice(0, listedMax)]
      : [texts.at(-1) ?? '', ...texts.slice(0, -1)]
  return before.length === 0 ? (last as string) : `${before.join(', ')} ${and} ${last}`
}
