import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Link from '@mui/material/Link'
import type { ReactNode } from 'react'
import type { Problem } from '#registry/definition.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { problemText } from '../../texts/refused.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
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

/** A form on a page of its own. Save and cancel are always in sight, with what still stands in the way. */
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
        <Box sx={barLook}>
          <ProblemList resource={form.definition.name} problems={form.problems} />
          <Box sx={{ display: 'flex', gap: 1 }}>
            <Button type="submit" variant="contained" loading={isBusy}>
              {label}
            </Button>
            <Button onClick={onCancel}>{common.cancel}</Button>
          </Box>
        </Box>
      </form>
      <SignInAgain open={hasEnded} onDone={resume} />
    </>
  )
}

const barLook = {
  position: 'sticky',
  bottom: '-1px',
  zIndex: 2,
  pt: 1.5,
  pb: { xs: 2, sm: 3 },
  mb: { xs: -2, sm: -3 },
  bgcolor: 'background.default',
} as const

/** Every problem, leading to its field. */
export function ProblemList({ resource, problems }: { resource: string; problems: readonly Problem[] }) {
  const texts = useTexts()
  const { path } = useRecordTexts()
  if (problems.length === 0) return null
  return (
    <Alert severity="error" variant="outlined" role="alert" sx={{ mb: 1, bgcolor: 'background.paper' }}>
      {texts.form.problems(problems.length)}
      <Box component="ul" sx={{ m: 0, pl: 2.5, maxHeight: 120, overflowY: 'auto' }}>
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
      </Box>
    </Alert>
  )
}
