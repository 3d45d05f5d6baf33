type Forms = { one: string; other: string }

/**
 * Returns a function that chooses the form of a sentence for a count by the plural rules of a language. In the form `#`
 * becomes the count as the language writes numbers.
 */
export function createCountFormat(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (count, { one, other }) => (rules.select(count) === 'one' ? one : other).replace('#', numbers.format(count))
}

export const formatEnglishCount = createCountFormat('en')
export const formatGermanCount = createCountFormat('de')
