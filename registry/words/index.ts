import * as german from './de.ts'
import * as english from './en.ts'

/** The words of records in every language of the interface: labels by which files and agents may name a value. */
export const catalogues = [english, german]
