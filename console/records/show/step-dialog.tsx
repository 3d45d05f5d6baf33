import Alert from '@mui/material/Alert'
import { styled } from '@mui/material/styles'
import Typography from '@mui/material/Typography'
import { useGetOne, useNavigate, useNotify } from 'ra-core'
import { useState } from 'react'
import { amountField, askedFields, type Step, tellingFields, weightOf } from '#derive/form/steps.ts'
import { fieldsOf } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import { isSameJson, type JsonObject } from '#registry/json.ts'
import type { Doubt } from '#registry/refusals.ts'
import { useMe } from '../../me/me.tsx'
import { editPath } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { errorText, problemText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Bullets, Tiles } from '../../ui/layout.tsx'
import { Note, Term } from '../../ui/panel.tsx'
import { codesOf, DoubtNotes } from '../doubt-notes.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { FieldInput } from '../fields/inputs.tsx'
import type { ListedRecord } from '../list/records.tsx'
import { useMaySeePapers, useSending } from '../paper/use-sending.tsx'
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
  const { sending, inputs } = useSending()
  const asksSending = useMaySeePapers(definition) && definition.paper?.sends === step.to
  const doubts = outcome?.is === 'doubtful' ? outcome.doubts : []
  const label = words.stepTo(name, step, shown)
  const problems = outcome?.is === 'missing' ? outcome.problems : []
  const elsewhere = problems.filter(({ field }) => !(field in given || (asksSending && field in sending)))

  async function go(): Promise<void> {
    const came = await take(record, step, {
      more: given,
      accepts: codesOf(doubts),
      sending: asksSending ? sending : undefined,
    })
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
        <Bullets>
          {elsewhere.map((problem) => (
            <li key={problem.field + problem.code}>
              <strong>{words.path(name, problem.field)}</strong> {problemText(problem, texts)}
            </li>
          ))}
        </Bullets>
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
      <DoubtNotes doubts={doubts} />
      {outcome?.is === 'failed' && (
        <Note severity="error" variant="standard">
          {errorText(outcome.error, texts)}
        </Note>
      )}
      {asksSending && (
        <Tiles isKept width={240} mb={2} sx={{ pt: 0.5 }}>
          {inputs((field) => {
            const problem = problems.find(({ field: at }) => at === field)
            return problem && problemText(problem, texts)
          })}
        </Tiles>
      )}
      {fields.length > 0 && (
        <Tiles isKept width={240} mb={2} sx={{ pt: 0.5 }}>
          {fields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              path={field.name}
              resource={name}
              label={words.label(name, field.name)}
              value={given[field.name] ?? null}
              problems={problems.filter(({ field: at }) => at === field.name)}
              onChange={(value) => setTyped({ ...typed, [field.name]: value })}
            />
          ))}
        </Tiles>
      )}
      <StepMeaning definition={definition} record={shown} step={step} />
    </AskFirst>
  )
}

/** Explains a step that locks, unlocks or is final. */
function StepMeaning({ definition, record, step }: { definition: Definition; record: JsonObject; step: Step }) {
  const { show } = useTexts()
  const { stateAfter } = useRecordTexts()
  const weight = weightOf(definition, record, step)
  if (!weight || weight === 'plain') return null
  return (
    <Typography>{weight === 'final' ? show.final(stateAfter(definition.name, step)) : show.means[weight]}</Typography>
  )
}

/** Returns the values that the registry proposes for a step. Leaves out referenced records that may not be seen. */
function useProposal(definition: Definition, record: JsonObject, step: Step): JsonObject {
  const { company, today } = useMe()
  const proposal = definition.proposals?.[String(step.to)]
  const reads = proposal?.reads ?? ''
  const field = definition.fields[reads]
  const to = field?.kind === 'reference' ? field.to : undefined
  const id = record[reads]
  const options = { enabled: to !== undefined && typeof id === 'number', retry: false }
  const { data: found } = useGetOne<ListedRecord>(to ?? '', { id: Number(id) }, options)
  return proposal?.of(record, { found: found as JsonObject | undefined, today: today(), company }) ?? {}
}

type StepSeveralProps = {
  definition: Definition
  records: readonly ListedRecord[]
  step: Step
  /** Those of steps that were refused because of them. */
  doubts: readonly Doubt[]
  isBusy: boolean
  onConfirm(): void
  onClose(): void
}

/** Asks before a step of several records. Shows a line for each, and their total. */
export function StepSeveral({ definition, records, step, doubts, isBusy, onConfirm, onClose }: StepSeveralProps) {
  const texts = useTexts()
  const format = useFormat()
  const { company } = useMe()
  const { stepTo } = useRecordTexts()
  const fields = tellingFields(definition)
  const all = records as readonly JsonObject[]
  const amount = amountField(definition)
  const sum = all.reduce((total, record) => total + Number(amount ? (record[amount.name] ?? 0) : 0), 0)
  const label = stepTo(definition.name, step, all[0] ?? {})
  return (
    <AskFirst
      title={`${texts.show.finalTitle(label)} ${texts.list.selected(all.length)}`}
      confirm={doubts.length > 0 ? texts.show.nevertheless(label) : label}
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
        <Typography sx={{ mb: 2, fontWeight: 700 }}>
          {texts.list.together(format.money(sum, company.currency))}
        </Typography>
      )}
      <DoubtNotes doubts={doubts} />
      {all[0] && <StepMeaning definition={definition} record={all[0]} step={step} />}
    </AskFirst>
  )
}

/** Shows the identity of a record: its client, its number, its amount. */
function Facts({ definition, record }: { definition: Definition; record: JsonObject }) {
  const { label } = useRecordTexts()
  return (
    <Essentials>
      {tellingFields(definition)
        .filter(({ name }) => record[name] !== null)
        .map((field) => (
          <Term key={field.name} name={label(definition.name, field.name)}>
            <Typography component="span" variant={field.kind === 'money' ? 'subtitle1' : 'inherit'}>
              <FieldValue isShort field={field} resource={definition.name} value={record[field.name]} />
            </Typography>
          </Term>
        ))}
    </Essentials>
  )
}

type DifferencesProps = { definition: Definition; shown: JsonObject; stored: JsonObject }

/** Shows the fields that differ by now from the shown ones, with old and new values. */
function Differences({ definition, shown, stored }: DifferencesProps) {
  const { race } = useTexts()
  const { label } = useRecordTexts()
  const differing = fieldsOf(definition).filter(
    ({ name, kind }) => kind !== 'instant' && !isSameJson(shown[name], stored[name]),
  )
  return (
    <Bullets mt={1.5}>
      {differing.map((field) => (
        <li key={field.name}>
          <strong>{label(definition.name, field.name)}</strong> · {race.was}:{' '}
          <FieldValue isShort field={field} resource={definition.name} value={shown[field.name]} /> · {race.now}:{' '}
          <FieldValue isShort field={field} resource={definition.name} value={stored[field.name]} />
        </li>
      ))}
    </Bullets>
  )
}

const Essentials = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(90px, auto) 1fr',
  gap: theme.spacing(0.5, 2),
  margin: theme.spacing(0, 0, 2),
}))
