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
