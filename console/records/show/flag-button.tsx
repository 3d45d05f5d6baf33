import Button from '@mui/material/Button'
import type { Step } from '#derive/form/steps.ts'
import { fieldsOf } from '#derive/form.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts } from '../../texts/texts.tsx'
import type { Row } from '../list/record-table.tsx'
import { useAskedStep } from './step-buttons.tsx'

/** Where a record says yes or no to something, one press says yes; and takes that back where the yes has locked it. */
export function FlagButton({ definition, record }: { definition: Definition; record: Row }) {
  const { name } = definition
  const { stepTo } = useRecordTexts()
  const { start, busy, dialog } = useAskedStep(definition)
  const flag = fieldsOf(definition).find(({ kind, readOnly }) => kind === 'flag' && !readOnly)
  if (!flag) return null
  const isOn = record[flag.name] === true
  if (isOn && !isProtected(definition, record)) return null
  const step: Step = { field: flag.name, to: !isOn }
  return (
    <>
      <Button size="small" loading={busy !== undefined} onClick={() => start(record, step)}>
        {stepTo(name, step, record as JsonObject)}
      </Button>
      {dialog}
    </>
  )
}
