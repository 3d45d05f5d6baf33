import { useEffect, useRef, useState } from 'react'
import { valuesFrom } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { netOf } from '#registry/resources/totals.ts'
import { PartDialog } from './part-dialog.tsx'

/**
 * Begins a new record with the values that the record which it refers to gives, wherever a person chooses that. Asks which
 * part is meant first where the definition says that it is billed in parts.
 */
export function useGiving(definition: Definition, by: string, onGive: (values: JsonObject) => void) {
  const [offer, setOffer] = useState<JsonObject>()
  const [part, setPart] = useState<JsonObject>()
  const give = useRef(onGive)
  give.current = onGive
  // After the dialog is gone: until then, another page would ask whether its typed values may be lost.
  useEffect(() => {
    if (part) give.current(part)
  }, [part])

  const valuesOf = (record: JsonObject): JsonObject => ({
    ...valuesFrom(definition, by, record),
    [by]: record.id ?? null,
  })
  return {
    start(record: JsonObject): void {
      const field = definition.fields[by]
      const isInParts = field?.kind === 'reference' && field.gives?.part !== undefined
      if (isInParts && valuesFrom(definition, by, record) && netOf(record) > 0) setOffer(record)
      else onGive(valuesOf(record))
    },
    dialog: offer && (
      <PartDialog
        definition={definition}
        by={by}
        offer={offer}
        onChoose={(priced) => {
          setOffer(undefined)
          setPart({ ...valuesOf(offer), ...priced })
        }}
        onClose={() => setOffer(undefined)}
      />
    ),
  }
}
