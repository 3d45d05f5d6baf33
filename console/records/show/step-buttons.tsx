import Button from '@mui/material/Button'
import { useNotify } from 'ra-core'
import { useState } from 'react'
import { statusOf, stepsFrom } from '#derive/form/relations.ts'
import { type Step, weightOf } from '#derive/form/steps.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import type { ListedRecord } from '../list/records.tsx'
import { type PendingStep, StepDialog } from './step-dialog.tsx'
import { useStep } from './use-step.ts'

type StepButtonsProps = { definition: Definition; record: ListedRecord; isSmall?: boolean }

/** Buttons for the steps that are open in the state of a record. */
export function StepButtons({ definition, record, isSmall }: StepButtonsProps) {
  const { name } = definition
  const { stepTo } = useRecordTexts()
  const { start, busy, dialog } = useStepQuestion(definition)
  const { mayStep } = useMe()
  const steps = stepsFrom(definition, record.status)
    .filter((to) => mayStep(name, statusOf(definition), String(record.status), to))
    .map((to): Step => ({ field: 'status', to }))
  return (
    <>
      {steps.map((step, index) => (
        <Button
          key={String(step.to)}
          size={isSmall ? 'small' : 'medium'}
          variant={isSmall ? 'text' : index === 0 && leadsOn(definition, record, step) ? 'contained' : 'outlined'}
          loading={busy === step.to}
          onClick={() => start(record, step)}
        >
          {stepTo(name, step, record as JsonObject)}
        </Button>
      ))}
      {dialog}
    </>
  )
}

/** Returns whether a step leads forward, and not back to an earlier state. */
function leadsOn({ fields }: Definition, record: ListedRecord, { to }: Step): boolean {
  const values: readonly unknown[] = fields.status?.kind === 'choice' ? fields.status.values : []
  return values.indexOf(to) > values.indexOf(record.status)
}

/** Returns the function that takes a step. It asks first if the step has lasting effects, and shows refusals there. */
export function useStepQuestion(definition: Definition) {
  const texts = useTexts()
  const { stateAfter } = useRecordTexts()
  const notify = useNotify()
  const { take } = useStep(definition)
  const [asked, setAsked] = useState<PendingStep>()
  const [busy, setBusy] = useState<Step['to']>()

  async function start(record: ListedRecord, step: Step): Promise<void> {
    if (weightOf(definition, record as JsonObject, step)) return setAsked({ record, step })
    setBusy(step.to)
    const outcome = await take(record, step)
    setBusy(undefined)
    if (outcome.is === 'done') notify(texts.show.stepDone(stateAfter(definition.name, step)), { type: 'success' })
    else if (outcome.is === 'failed') notify(errorText(outcome.error, texts), { type: 'error' })
    else setAsked({ record, step, outcome })
  }

  const dialog = asked && <StepDialog definition={definition} asked={asked} onClose={() => setAsked(undefined)} />
  return { start, busy, dialog }
}
