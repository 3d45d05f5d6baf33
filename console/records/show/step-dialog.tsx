import Alert from '@mui/material/Alert'
import Typography from '@mui/material/Typography'
import { useEffect, useState } from 'react'
import { useNavigate, useNotify } from 'react-admin'
import { askedFields, doubtsOf, type Step, weightOf } from '#derive/form/steps.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { ask } from '../../client/ask.ts'
import { editPath } from '../../shell/places.ts'
import { errorText, problemText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Bullets, Tiles } from '../../ui/layout.tsx'
import { Note } from '../../ui/panel.tsx'
import { inputOf } from '../fields/inputs.ts'
import type { ListedRecord } from '../list/record-table.tsx'
import { Differences, Facts } from './facts.tsx'
import { type Outcome, useStep } from './use-step.ts'

export type PendingStep = { step: Step; record: ListedRecord; outcome?: Outcome | undefined }
type StepDialogProps = { definition: Definition; asked: PendingStep; onClose(): void }

/**
 * Asks before a step with lasting effects. Shows the record, its client and amount, the meaning of the step, and the
 * days that it needs. Also shows refusals: missing fields, or a change by somebody else meanwhile.
 */
export function StepDialog({ definition, asked, onClose }: StepDialogProps) {
  const { name } = definition
  const { step, record } = asked
  const texts = useTexts()
  const words = useRecordTexts()
  const navigate = useNavigate()
  const notify = useNotify()
  const { take, isBusy } = useStep(definition)
  const [outcome, setOutcome] = useState(asked.outcome)
  const [typed, setTyped] = useState<JsonObject>({})
  const shown = record as JsonObject
  const fields = askedFields(definition, shown, step)
  const proposal = useProposal(definition, shown, step)
  const given = Object.fromEntries(
    fields.map(({ name: field }) => [field, typed[field] ?? proposal[field] ?? shown[field] ?? null]),
  )
  const doubts = doubtsOf(definition, shown, step, todayHere())
  const label = words.stepTo(name, step, shown)
  const problems = outcome?.is === 'missing' ? outcome.problems : []
  const elsewhere = problems.filter(({ field }) => !(field in given))

  async function go(): Promise<void> {
    const came = await take(record, step, given)
    setOutcome(came)
    if (came.is !== 'done') return
    notify(texts.show.stepDone(words.stateAfter(name, step)), { type: 'success' })
    onClose()
  }

  if (outcome?.is === 'changed') {
    return (
      <AskFirst title={texts.show.changedTitle} onClose={onClose}>
        <Alert severity="warning" variant="outlined">
          {texts.show.changedMeanwhile}
        </Alert>
        <Differences definition={definition} shown={shown} stored={outcome.stored} />
      </AskFirst>
    )
  }
  if (elsewhere.length > 0) {
    return (
      <AskFirst
        title={texts.show.stepMissing}
        confirm={texts.show.completeFirst}
        onConfirm={() => navigate(editPath(name, record.id))}
        onClose={onClose}
      >
        <ProblemItems resource={name} problems={elsewhere} />
      </AskFirst>
    )
  }
  return (
    <AskFirst
      title={texts.show.finalTitle(label)}
      confirm={doubts.length > 0 ? texts.show.nevertheless(label) : label}
      isBusy={isBusy}
      isDirty={Object.keys(typed).length > 0}
      onConfirm={go}
      onClose={onClose}
    >
      <Facts definition={definition} record={shown} />
      {doubts.map((code) => (
        <Note key={code} severity="warning">
          {texts.doubts[code]}
        </Note>
      ))}
      {outcome?.is === 'failed' && (
        <Note severity="error" variant="standard">
          {errorText(outcome.error, texts)}
        </Note>
      )}
      {fields.length > 0 && (
        <Tiles isKept width={240} mb={2} sx={{ pt: 0.5 }}>
          {fields.map((field) => {
            const Input = inputOf(field.kind)
            return (
              <Input
                key={field.name}
                field={field}
                path={field.name}
                resource={name}
                label={words.label(name, field.name)}
                value={given[field.name] ?? null}
                record={{ ...shown, ...given }}
                problems={problems.filter(({ field: at }) => at === field.name)}
                onChange={(value) => setTyped({ ...typed, [field.name]: value })}
                onLeave={() => undefined}
              />
            )
          })}
        </Tiles>
      )}
      <StepMeaning definition={definition} record={shown} step={step} />
    </AskFirst>
  )
}

/** Explains a step that locks, unlocks or is final. */
export function StepMeaning({ definition, record, step }: { definition: Definition; record: JsonObject; step: Step }) {
  const { show } = useTexts()
  const { stateAfter } = useRecordTexts()
  const weight = weightOf(definition, record, step)
  if (!weight || weight === 'plain') return null
  return (
    <Typography>{weight === 'final' ? show.final(stateAfter(definition.name, step)) : show.means[weight]}</Typography>
  )
}

function ProblemItems({ resource, problems }: { resource: string; problems: readonly Problem[] }) {
  const texts = useTexts()
  const { path } = useRecordTexts()
  return (
    <Bullets>
      {problems.map((problem) => (
        <li key={problem.field + problem.code}>
          <strong>{path(resource, problem.field)}</strong> {problemText(problem, texts)}
        </li>
      ))}
    </Bullets>
  )
}

/** Returns the values that the registry proposes for a step. Leaves out referenced records that may not be seen. */
function useProposal(definition: Definition, record: JsonObject, step: Step): JsonObject {
  const proposal = definition.proposals?.[String(step.to)]
  const field = proposal && definition.fields[proposal.reads]
  const to = field?.kind === 'reference' ? field.to : undefined
  const id = proposal && record[proposal.reads]
  const [found, setFound] = useState<JsonObject>()
  useEffect(() => {
    if (to === undefined || typeof id !== 'number') return
    const aborter = new AbortController()
    ask('records.fetch', { records: to, id, signal: aborter.signal }).then(
      ({ data }) => setFound(data as JsonObject),
      () => undefined,
    )
    return () => aborter.abort()
  }, [to, id])
  return proposal?.of(record, found, todayHere()) ?? {}
}

/** Returns the reader's local day in the format of records. */
export function todayHere(): string {
  const now = new Date()
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
