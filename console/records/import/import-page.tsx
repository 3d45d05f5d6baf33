import Box from '@mui/material/Box'
import Step from '@mui/material/Step'
import StepLabel from '@mui/material/StepLabel'
import Stepper from '@mui/material/Stepper'
import { FileProblem } from '#derive/import/file.ts'
import type { Definition } from '#registry/definition.ts'
import { isUnauthorized } from '../../client/ask.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { errorText } from '../../texts/refused.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Page } from '../../ui/page.tsx'
import { Note } from '../../ui/panel.tsx'
import { useUnsaved } from '../../ui/unsaved.tsx'
import { listPath } from '../paths.ts'
import { ChangedDialog } from './changed-dialog.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { DifferenceStep } from './difference-step.tsx'
import { FileStep } from './file-step.tsx'
import { Progress } from './progress.tsx'
import { ResultStep } from './result-step.tsx'
import { type Stage, useImport } from './use-import.ts'

const steps = ['file', 'columns', 'difference', 'result'] as const

/** Which step a stage belongs to. */
const stepOf: { readonly [stage in Stage]: number } = {
  file: 0,
  columns: 1,
  looking: 1,
  difference: 2,
  writing: 3,
  stopped: 3,
  done: 3,
}

/** Records out of a file: what each row would do is shown, and that is done. */
export function ImportPage({ definition }: { definition: Definition }) {
  const texts = useTexts()
  const { many } = useRecordTexts()
  const { imports } = texts
  const importing = useImport(definition)
  const { stage, error, changed } = importing
  const unsaved = useUnsaved(stage === 'looking' || stage === 'difference' || stage === 'writing')
  const shown = { definition, importing }
  return (
    <Page
      title={imports.title(many(definition.name))}
      above={{ label: many(definition.name), to: listPath(definition.name) }}
      lead={imports.lead}
    >
      <Stepper activeStep={stepOf[stage]} alternativeLabel sx={{ mb: 3 }}>
        {steps.map((name) => (
          <Step key={name}>
            <StepLabel>{imports.steps[name]}</StepLabel>
          </Step>
        ))}
      </Stepper>
      {error !== undefined && (
        <Note severity="error">
          {error instanceof FileProblem
            ? (imports.fileProblems[error.code]?.(...error.particulars) ?? error.message)
            : errorText(error, texts)}
        </Note>
      )}
      <Box>
        {stage === 'file' && <FileStep {...shown} />}
        {stage === 'columns' && <ColumnsStep {...shown} />}
        {(stage === 'looking' || stage === 'writing') && <Progress importing={importing} />}
        {stage === 'difference' && <DifferenceStep {...shown} />}
        {(stage === 'stopped' || stage === 'done') && <ResultStep {...shown} />}
      </Box>
      {changed && <ChangedDialog definition={definition} changed={changed} />}
      {unsaved.question}
      <SignInAgain open={isUnauthorized(error)} onDone={importing.forgive} />
    </Page>
  )
}
