import Button from '@mui/material/Button'
import Link from '@mui/material/Link'
import Stack from '@mui/material/Stack'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import type { Problem } from '#registry/definition.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { problemText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Note } from '../../ui/panel.tsx'
import { inputId } from '../fields/input.ts'
import type { RecordForm } from './use-record-form.ts'
import type { useSave } from './use-save.ts'

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
  const { save, isBusy, hasEnded, resume } = saving
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
          <ProblemList resource={form.definition.name} problems={form.problems} />
          <Stack direction="row" spacing={1}>
            <Button type="submit" variant="contained" loading={isBusy}>
              {label}
            </Button>
            <Button onClick={onCancel}>{common.cancel}</Button>
          </Stack>
        </Bar>
      </form>
      <SignInAgain open={hasEnded} onDone={resume} />
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

/** Lists every problem with a link to its field. */
export function ProblemList({ resource, problems }: { resource: string; problems: readonly Problem[] }) {
  const texts = useTexts()
  const { path } = useRecordTexts()
  if (problems.length === 0) return null
  return (
    <Note severity="error" role="alert" mb={1} isRaised>
      {texts.form.problems(problems.length)}
      <Bullets maxHeight={120}>
        {problems.map((problem) => (
          <li key={problem.field + problem.code}>
            <Link
              component="button"
              type="button"
              color="inherit"
              onClick={() => document.getElementById(inputId(problem.field))?.focus()}
            >
              {path(resource, problem.field)}
            </Link>{' '}
            {problemText(problem, texts)}
          </li>
        ))}
      </Bullets>
    </Note>
  )
}
