import { useMemo } from 'react'
import { useStore } from 'react-admin'
import { type Column, columnsOf } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'

/** The columns somebody has chosen for a resource, kept in the browser; until then the usual ones. */
export function useColumns(definition: Definition) {
  const [chosen, choose] = useStore<string[] | null>(`columns.${definition.name}`, null)
  const shown = useMemo(() => {
    const all = columnsOf(definition)
    const kept =
      chosen === null ? all.filter(({ initial }) => initial) : all.filter(({ name }) => chosen.includes(name))
    // The title is what a row is called and where it leads.
    const title = all.find(({ name }) => name === definition.title) as Column
    return [title, ...kept.filter(({ name }) => name !== definition.title)]
  }, [definition, chosen])
  return { shown, choose, isUsual: chosen === null }
}
