import { useStore } from 'ra-core'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { Step } from '#derive/form/steps.ts'
import { capital, formatName } from '#derive/words.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { RecordTexts } from '#registry/words/en.ts'
import { en, type Texts } from './en/index.ts'

/** The languages. All but the first are loaded when they are chosen. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const catalogues: { readonly [language in Language]: () => Promise<Texts> } = {
  en: async () => en,
  de: async () => (await import('./de/index.ts')).de,
}

const TextsContext = createContext<Texts>(en)
export const useTexts = (): Texts => useContext(TextsContext)

export const useLanguage = () => useStore<Language>('language', findPreferred())

/** Provides the texts of the chosen language, or of the browser’s language if there are any. */
export function TextsProvider({ children }: { children: ReactNode }) {
  const [language] = useLanguage()
  const [texts, setTexts] = useState<Texts>()
  useEffect(() => {
    let current = true
    catalogues[language]().then((loaded) => {
      document.documentElement.lang = language
      if (current) setTexts(loaded)
    })
    return () => {
      current = false
    }
  }, [language])
  return texts ? <TextsContext value={texts}>{children}</TextsContext> : null
}

function findPreferred(): Language {
  const wanted = navigator.languages.map((language) => language.slice(0, 2))
  return wanted.find((language): language is Language => language in languages) ?? 'en'
}

/** Returns the texts about records. A name that the catalogue lacks is shown as the registry spells it. */
export function useRecordTexts() {
  const texts = useTexts()
  return useMemo(() => recordTexts(texts), [texts])
}

function recordTexts(texts: Texts) {
  const { records, commonFields, memberFields } = texts
  const all: { readonly [resource: string]: Partial<RecordTexts> } = records
  const spelled = (name: string): string => capital(formatName(name))
  const label = (owner: string, field: string): string =>
    all[owner]?.fields?.[field] ??
    (commonFields as { [field: string]: string })[field] ??
    (memberFields as { [owner: string]: { [field: string]: string } })[owner]?.[field] ??
    spelled(field)
  const sum = (resource: string, name: string): string =>
    all[resource]?.sums?.[name] ?? spelled(name.replace(/_minor$/, ''))
  const value = (resource: string, state: string): string =>
    all[resource]?.values?.[state] ?? spelled(state.toLowerCase())
  const one = (resource: string): string =>
    all[resource]?.one ?? definitionOf(registry, resource)?.one ?? formatName(resource)
  const add = (resource: string): string => all[resource]?.add ?? texts.common.add(one(resource))
  return {
    label,
    one,
    add,
    many: (resource: string): string => all[resource]?.many ?? spelled(resource),
    none: (resource: string): string => all[resource]?.none ?? '',
    sum,
    value,
    stepTo: (resource: string, { field, to }: Step, from: { readonly [field: string]: unknown }): string =>
      all[resource]?.steps?.[`${from[field]}>${to}`] ??
      all[resource]?.steps?.[String(to)] ??
      (typeof to === 'boolean' ? label(resource, field) : value(resource, to)),
    /** Returns the name of the state after a step. */
    stateAfter: (resource: string, { field, to }: Step): string =>
      typeof to === 'string'
        ? value(resource, to)
        : to
          ? label(resource, field)
          : texts.show.not(label(resource, field)),
    /** Returns how a record is put right that is locked in a state. */
    correction: (resource: string, state: string | undefined): string => {
      const { correction = '' } = all[resource] ?? {}
      return typeof correction === 'string' ? correction : (correction[state ?? ''] ?? '')
    },
    action: (resource: string, name: string): string => all[resource]?.actions?.[name] ?? spelled(name),
    make: (resource: string): string => all[resource]?.make ?? add(resource),
    /** Formats a path by the labels of its parts: `billing_address.city`, or `lines[2].quantity` as “Line 3: Quantity”. */
    path: (resource: string, path: string): string => {
      const [field = '', ...inside] = path.split(/[.[\]]/).filter((part) => part !== '')
      const index = Number(inside[0])
      if (Number.isNaN(index))
        return [label(resource, field), ...inside.map((part) => label('address', part))].join(' ')
      const members = inside.slice(1).map((part) => label('lines', part))
      return [texts.form.line(index + 1), ...members].join(': ')
    },
  }
}
