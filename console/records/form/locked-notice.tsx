import { protectedState } from '#derive/protection.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Note } from '../../ui/panel.tsx'

/** Explains why most fields of a record are locked, and how to correct a mistake in them. */
export function LockedNotice({ definition, record }: { definition: Definition; record: JsonObject }) {
  const { form } = useTexts()
  const { correction } = useRecordTexts()
  if (!isProtected(definition, record)) return null
  return (
    <Note severity="info" isRaised>
      {form.locked} {correction(definition.name, protectedState(definition, record))}
    </Note>
  )
}
