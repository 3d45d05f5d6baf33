import * as german from './de.ts'
import * as english from './en.ts'

/** The words of records in every language of the interface: labels by which files and agents may name a value. */
export const catalogues = [english, german]

/** The languages of the interface: their notation (BCP 47) and their words. */
export const languages = {
  en: { locale: 'en-GB', catalogue: english },
  de: { locale: 'de-DE', catalogue: german },
} as const
export type LanguageCode = keyof typeof languages
