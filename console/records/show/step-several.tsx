import Typography from '@mui/material/Typography'
import { doubtsOf, type Step, tellingFields } from '#derive/form/steps.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Note } from '../../ui/panel.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import type { ListedRecord } from '../list/record-table.tsx'
import { StepMeaning, todayHere } from './step-dialog.tsx'

type StepSeveralProps = {
  definition: Definition
  records: readonly ListedRecord[]
  step: Step
  isBusy: boolean
  onConfirm(): void
  onClose(): void
}

/** Asks before a step of several records. Shows a line for each, and their total. */
export function StepSeveral({ definition, records, step, isBusy, onConfirm, onClose }: StepSeveralProps) {
  const texts = useTexts()
  const format = useFormat()
  const { currency } = useMe().company
  const { stepTo } = useRecordTexts()
  const fields = tellingFields(definition)
  const all = records as readonly JsonObject[]
  const amount = fields.findLast(({ kind }) => kind === 'money')
  const sum = all.reduce((total, record) => total + Number(amount ? (record[amount.name] ?? 0) : 0), 0)
  const doubts = new Set(all.flatMap((record) => doubtsOf(definition, record, step, todayHere())))
  const label = stepTo(definition.name, step, all[0] ?? {})
  return (
    <AskFirst
      title={`${texts.show.finalTitle(label)} ${texts.list.selected(all.length)}`}
      confirm={doubts.size > 0 ? texts.show.nevertheless(label) : label}
      isBusy={isBusy}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Bullets mb={1} maxHeight={320}>
        {all.map((record) => (
          <li key={String(record.id)}>
            {fields
              .filter(({ name }) => record[name] !== null)
              .map((field, index) => (
                <span key={field.name}>
                  {index > 0 && ' · '}
                  <FieldValue isShort field={field} resource={definition.name} value={record[field.name]} />
                </span>
              ))}
          </li>
        ))}
      </Bullets>
      {amount && (
        <Typography sx={{ mb: 2, fontWeight: 700 }}>{texts.list.together(format.money(sum, currency))}</Typography>
      )}
      {[...doubts].map((code) => (
        <Note key={code} severity="warning">
          {texts.doubts[code]}
        </Note>
      ))}
      {all[0] && <StepMeaning definition={definition} record={all[0]} step={step} />}
    </AskFirst>
  )
}
