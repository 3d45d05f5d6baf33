import type { Definition } from '#registry/definition.ts'
import { labelOf, planWords } from '../words.ts'

/** A part of the documents; operations with one name stand together. */
export type Section = { name: string; about: string; remarks: readonly string[] }

export function sectionOf(definition: Definition): Section {
  const addOn = definition.served?.addOn ?? 'api'
  const plan = planWords(definition)
  return {
    name: labelOf(definition),
    about: definition.about,
    remarks: [
      ...(addOn === 'api' ? [] : [`Served to companies with the add-on \`${addOn}\`.`]),
      ...(plan ? [`Plan limit: ${plan}.`] : []),
    ],
  }
}
