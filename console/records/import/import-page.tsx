import Button from '@mui/material/Button'
import LinearProgress from '@mui/material/LinearProgress'
import Paper from '@mui/material/Paper'
import Step from '@mui/material/Step'
import StepLabel from '@mui/material/StepLabel'
import Stepper from '@mui/material/Stepper'
import Typography from '@mui/material/Typography'
import { LinkBase } from 'ra-core'
import { FileProblem } from '#derive/import/file-problem.ts'
import type { Stage } from '#import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { isUnauthorized } from '../../client/ask.ts'
import { listPath } from '../../shell/places.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst, useUnsaved } from '../../ui/ask-first.tsx'
import { Buttons, Unbroken } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { Note, Panel, Text } from '../../ui/panel.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { DifferenceStep, DownloadRefused, RowList } from './difference-step.tsx'
import { FileStep } from './file-step.tsx'
import { type ImportState, useImport } from './use-import.ts'

const steps = ['file', 'columns', 'difference', 'result'] as const

/** Returns the step of a stage. What comes after the difference is part of the result. */
const stepOf = (stage: Stage): (typeof steps)[number] =>
  stage === 'reading' || stage === 'encoding'
    ? 'file'
    : stage === 'looking'
      ? 'columns'
      : (steps.find((step) => step === stage) ?? 'result')

/** Records out of a file: what each row would do is shown, and that is done. */
export function ImportPage({ definition }: { definition: Definition }) {
  const texts = useTexts()
  const { many } = useRecordTexts()
  const { imports } = texts
  const importing = useImport(definition)
  const { stage, error } = importing.state
  const unsaved = useUnsaved(['looking', 'difference', 'writing', 'changed'].includes(stage))
  const step = stepOf(stage)
  const shown = { definition, importing }
  const isRunning = stage === 'looking' || stage === 'writing' || stage === 'changed'
  return (
    <Page
      title={imports.title(many(definition.name))}
      above={{ label: many(definition.name), to: listPath(definition.name) }}
      lead={imports.lead}
    >
      <Stepper activeStep={steps.indexOf(step)} alternativeLabel>
        {steps.map((name) => (
          <Step key={name}>
            <StepLabel>{imports.steps[name]}</StepLabel>
          </Step>
        ))}
      </Stepper>
      {error !== undefined && (
        <Note severity="error">
          {error instanceof FileProblem
            ? (imports.fileProblems[error.code]?.(...error.particulars.map((one) => quote(String(one)))) ??
              quote(error.message))
            : errorText(error, texts)}
        </Note>
      )}
      <div>
        {step === 'file' && <FileStep {...shown} />}
        {stage === 'columns' && <ColumnsStep {...shown} />}
        {isRunning && <Progress importing={importing} />}
        {step === 'difference' && <DifferenceStep {...shown} />}
        {step === 'result' && !isRunning && <ResultStep {...shown} />}
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

/** Most refused rows that a page offers to mend: the settings of an import have a place for each. */
const mendedMax = 1000

/** What was written, and the ways on: to go on, to take all of it back, to the list. */
function ResultStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const format = useFormat()
  const { stage, done, file, rows, counts, settled, writeId, remaining } = importing.state
  const total = file.rows.length
  const isDone = done >= total
  const isUndone = stage === 'undone'
  const isUndoing = stage === 'undoing'
  const isRefused = isDone && !isUndone && counts.refused > 0
  return (
    <>
      <Panel title={imports.steps.result}>
        <Text role="status" variant="subtitle1" mb={1}>
          {isUndone
            ? imports.undone
            : isDone
              ? imports.done(
                  format.number(settled.created + counts.created),
                  format.number(settled.changed + counts.changed),
                )
              : imports.stopped(format.number(done), format.number(total))}
        </Text>
        {isDone && !isUndone && (
          <Typography color="textSecondary">{imports.left(settled.same + counts.same, counts.refused)}</Typography>
        )}
        {isUndoing && remaining > 0 && <Typography aria-live="polite">{imports.undoing(remaining)}</Typography>}
        <Buttons>
          {!isDone && !isUndone && (
            <Button variant="contained" onClick={importing.apply} disabled={isUndoing}>
              {imports.goOn}
            </Button>
          )}
          <Button variant={isDone ? 'contained' : 'outlined'} component={LinkBase} to={listPath(definition.name)}>
            {imports.list}
          </Button>
          {!isUndone && writeId !== undefined && (
            <Button variant="outlined" color="error" onClick={importing.undo} loading={isUndoing}>
              {imports.undoAll}
            </Button>
          )}
          {isRefused && <DownloadRefused importing={importing} />}
          {isRefused && counts.refused <= mendedMax && (
            <Button variant="outlined" onClick={importing.tryAgain} disabled={isUndoing}>
              {imports.mendRefused(counts.refused)}
            </Button>
          )}
        </Buttons>
      </Panel>
      {isRefused && <RowList definition={definition} rows={rows.filter(({ outcome }) => outcome === 'refused')} />}
    </>
  )
}
