import Button from '@mui/material/Button'
import Link from '@mui/material/Link'
import Stack from '@mui/material/Stack'
import { styled } from '@mui/material/styles'
import { useNotify, useRefresh } from 'ra-core'
import { type ReactNode, useState } from 'react'
import { fieldAt, fieldsOf, valueAt } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Doubt } from '#registry/refusals.ts'
import { isRefused, isUnauthorized } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Note } from '../../ui/panel.tsx'
import { DoubleList } from '../double-list.tsx'
import { codesOf, DoubtDialog } from '../doubt-notes.tsx'
import { inputId, useProblemText } from '../fields/input.ts'
import { OpenAfter } from './open-after.tsx'
import { SchemaForm } from './schema-form.tsx'
import { type RecordForm, useRecordForm } from './use-record-form.ts'

type SaveFormProps = {
  form: RecordForm
  saving: ReturnType<typeof useSave>
  label: string
  onCancel(): void
  children: ReactNode
}

/** A form on a page of its own. Save, cancel and the remaining problems are always in sight. */
export function SaveForm({ form, saving, label, onCancel, children }: SaveFormProps) {
  const { common } = useTexts()
  const { save, isBusy, hasEnded, resume, question } = saving
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {children}
        <Bar>
          <DoubleNotice form={form} />
          <ProblemList form={form} />
          <Stack direction="row" spacing={1}>
            <Button type="submit" variant="contained" loading={isBusy}>
              {label}
            </Button>
            <Button onClick={onCancel}>{common.cancel}</Button>
          </Stack>
        </Bar>
      </form>
      <SignInAgain open={hasEnded} onDone={resume} />
      {question}
    </>
  )
}

const Bar = styled('div')(({ theme }) => ({
  position: 'sticky',
  bottom: -1,
  zIndex: 2,
  padding: theme.spacing(1.5, 0, 2),
  marginBottom: theme.spacing(-2),
  background: theme.vars?.palette.background.default,
  [theme.breakpoints.up('sm')]: { paddingBottom: theme.spacing(3), marginBottom: theme.spacing(-3) },
}))

/** Names the records that may be the one of the form. It may be saved all the same. */
function DoubleNotice({ form: { definition, doubles } }: { form: RecordForm }) {
  const { form } = useTexts()
  if (doubles.length === 0) return null
  return (
    <Note severity="warning" role="status" mb={1} isRaised>
      {form.doubles}
      <DoubleList records={definition.name} doubles={doubles} maxHeight={120} />
    </Note>
  )
}

/** Lists every problem with a link to its field. */
function ProblemList({ form: { definition, values, problems } }: { form: RecordForm }) {
  const { form } = useTexts()
  const { path } = useRecordTexts()
  const textOf = useProblemText()
  if (problems.length === 0) return null
  return (
    <Note severity="error" role="alert" mb={1} isRaised>
      {form.problems(problems.length)}
      <Bullets maxHeight={120}>
        {problems.map((problem) => (
          <li key={problem.field + problem.code}>
            <Link
              component="button"
              type="button"
              color="inherit"
              onClick={() => document.getElementById(inputId(problem.field))?.focus()}
            >
              {path(definition.name, problem.field)}
            </Link>{' '}
            {textOf(problem, fieldAt(fieldsOf(definition), problem.field), valueAt(values, problem.field))}
          </li>
        ))}
      </Bullets>
    </Note>
  )
}

type SaveOptions = {
  form: RecordForm
  /** Null for a new record. */
  id: number | string | null
  etag?: string | null
  /** Sends the changes of a form that is not about a record of a resource. */
  send?(accepts: readonly string[]): Promise<number>
  onSaved(id: number): void
  /** Called if somebody else has saved first. */
  onRace?(): void
}

/** Returns the function that sends a form and shows each refusal at its field. */
export function useSave({ form, id, etag, send, onSaved, onRace }: SaveOptions) {
  const [isBusy, setBusy] = useState(false)
  const [hasEnded, setEnded] = useState(false)
  const [doubts, setDoubts] = useState<readonly Doubt[]>([])
  const notify = useNotify()
  const refresh = useRefresh()
  const texts = useTexts()
  const write = useWrite()

  async function save(accepts: readonly string[] = []): Promise<void> {
    if (isBusy) return
    const problems = form.checkAll()
    if (problems.length > 0) return focusOn(problems[0]?.field)
    if (id !== null && Object.keys(form.changes).length === 0) {
      notify(texts.form.unchanged, { type: 'info' })
      return onSaved(Number(id))
    }
    setBusy(true)
    try {
      // The notice is shown first; the next press saves all the same.
      if (await form.hasUnseenDoubles()) return
      const saved = await (send ?? sendRecord)(accepts)
      refresh()
      onSaved(saved)
    } catch (error) {
      if (isUnauthorized(error)) setEnded(true)
      else if (
        onRace &&
        (isRefused(error, 'precondition_failed') || (id !== null && isRefused(error, 'idempotency_key_reuse')))
      )
        onRace()
      else if (isRefused(error, 'doubtful')) setDoubts(error.body.doubts ?? [])
      else if (isRefused(error) && error.body.errors?.length) {
        form.refuse(error.body.errors)
        focusOn(error.body.errors[0]?.field)
      } else notify(errorText(error, texts), { type: 'error' })
    } finally {
      setBusy(false)
    }
  }

  async function sendRecord(accepts: readonly string[]): Promise<number> {
    const records = form.definition.name
    if (id !== null) return (await write('records.update', { records, id, body: form.changes, etag, accepts })).data.id
    const { data } = await write('records.create', { records, body: form.changes, accepts })
    form.remember()
    return data.id as number
  }

  const question = doubts.length > 0 && (
    <DoubtDialog
      doubts={doubts}
      label={id === null ? texts.common.create : texts.common.save}
      onConfirm={() => {
        setDoubts([])
        save(codesOf(doubts))
      }}
      onClose={() => setDoubts([])}
    />
  )
  return { save: () => save(), isBusy, hasEnded, resume: () => setEnded(false), question }
}

/** Focuses a field, after the problems are rendered. */
const focusOn = (path: string | undefined): void =>
  void setTimeout(() => {
    const found = path === undefined ? null : document.getElementById(inputId(path))
    found?.focus()
    found?.scrollIntoView({ block: 'center' })
  }, 0)

type FormDialogProps = {
  definition: Definition
  /** The values that the record begins with, and those among them that the page sets, such as the project of a task. */
  given?: JsonObject
  settled?: readonly string[]
  onClose(): void
}

/** Creates a record for the record of the page, without leaving that page. */
export function FormDialog({ definition, given, settled, onClose }: FormDialogProps) {
  const texts = useTexts()
  const { add, one } = useRecordTexts()
  const notify = useNotify()
  const form = useRecordForm(definition, null, given, settled)
  const { save, isBusy, question } = useSave({
    form,
    id: null,
    onSaved: () => {
      notify(texts.form.created(one(definition.name)), { type: 'success' })
      onClose()
    },
  })
  return (
    <AskFirst
      wide
      isDirty={form.isDirty}
      title={add(definition.name)}
      confirm={texts.common.create}
      isBusy={isBusy}
      onConfirm={save}
      onClose={onClose}
    >
      <SchemaForm isPlain form={form} settled={settled} />
      <OpenAfter form={form} />
      <DoubleNotice form={form} />
      <ProblemList form={form} />
      {question}
    </AskFirst>
  )
}
