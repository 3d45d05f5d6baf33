import Button from '@mui/material/Button'
import LinearProgress from '@mui/material/LinearProgress'
import Paper from '@mui/material/Paper'
import Step from '@mui/material/Step'
import StepLabel from '@mui/material/StepLabel'
import Stepper from '@mui/material/Stepper'
import Typography from '@mui/material/Typography'
import { FileProblem } from '#derive/import/file-problem.ts'
import type { Stage } from '#derive/import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { isUnauthorized } from '../../client/ask.ts'
import { listPath } from '../../shell/places.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { useFormat } from '../../texts/format.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst, useUnsaved } from '../../ui/ask-first.tsx'
import { Buttons, Unbroken } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { Note } from '../../ui/panel.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { DifferenceStep, RowList } from './difference-step.tsx'
import { FileStep } from './file-step.tsx'
import { ResultStep } from './result-step.tsx'
import { type ImportState, useImport } from './use-import.ts'

const steps = ['file', 'columns', 'difference', 'result'] as const

/** Which step a stage belongs to. */
const stepOf: { readonly [stage in Stage]: number } = {
  file: 0,
  reading: 0,
  columns: 1,
  looking: 1,
  difference: 2,
  writing: 3,
  changed: 3,
  stopped: 3,
  done: 3,
  undoing: 3,
  undone: 3,
}

/** Records out of a file: what each row would do is shown, and that is done. */
export function ImportPage({ definition }: { definition: Definition }) {
  const texts = useTexts()
  const { many } = useRecordTexts()
  const { imports } = texts
  const importing = useImport(definition)
  const { stage, error } = importing.state
  const unsaved = useUnsaved(['looking', 'difference', 'writing', 'changed'].includes(stage))
  const shown = { definition, importing }
  const isRunning = stage === 'looking' || stage === 'writing' || stage === 'changed'
  return (
    <Page
      title={imports.title(many(definition.name))}
      above={{ label: many(definition.name), to: listPath(definition.name) }}
      lead={imports.lead}
    >
      <Stepper activeStep={stepOf[stage]} alternativeLabel>
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
      <div>
        {stepOf[stage] === 0 && <FileStep {...shown} />}
        {stage === 'columns' && <ColumnsStep {...shown} />}
        {isRunning && <Progress importing={importing} />}
        {stage === 'difference' && <DifferenceStep {...shown} />}
        {stepOf[stage] === 3 && !isRunning && <ResultStep {...shown} />}
      </div>
      {stage === 'changed' && <ChangedDialog {...shown} />}
      {unsaved.question}
      <SignInAgain open={isUnauthorized(error)} onDone={importing.forgive} />
    </Page>
  )
}

/** How far it is, and the way to stop. */
function Progress({ importing }: { importing: ImportState }) {
  const { imports } = useTexts()
  const format = useFormat()
  const { stage, done, file, isStopping } = importing.state
  const total = file.rows.length
  const share = Math.floor((100 * done) / total)
  const say = stage === 'looking' ? imports.looking : imports.writing
  const said = say(format.number(done), format.number(total))
  return (
    <Paper sx={{ p: { xs: 2, sm: 3 } }}>
      <p aria-live="polite">
        <Unbroken>{isStopping ? imports.stopping : said}</Unbroken>
      </p>
      <LinearProgress variant="determinate" value={share} aria-label={said} />
      <Buttons>
        <Button variant="outlined" disabled={isStopping} onClick={importing.stop}>
          {imports.stop}
        </Button>
      </Buttons>
    </Paper>
  )
}

/** What some rows would do by now is something else than was shown: it is shown again, and asked. */
function ChangedDialog({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  return (
    <AskFirst
      wide
      title={imports.changedTitle}
      confirm={imports.changedGoOn}
      cancel={imports.stop}
      onConfirm={importing.apply}
      onClose={importing.decline}
    >
      <Typography gutterBottom>{imports.changed}</Typography>
      <RowList definition={definition} rows={importing.state.changed?.rows ?? []} />
    </AskFirst>
  )
}
