import Button from '@mui/material/Button'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import { type ListControllerResult, useNotify, useRefresh } from 'ra-core'
import { useState } from 'react'
import { statusOf, stepsFrom } from '#derive/form/relations.ts'
import { askedFields, type Step, weightOf } from '#derive/form/steps.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Doubt } from '#registry/refusals.ts'
import { listQuery } from '../../client/record-provider.ts'
import { useMe } from '../../me/me.tsx'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { codesOf } from '../doubt-notes.tsx'
import { useUndo } from '../history/history.tsx'
import { RemoveSeveral } from '../removal/remove-dialog.tsx'
import { StepSeveral } from '../show/step-dialog.tsx'
import { type Outcome, useStep } from '../show/use-step.ts'
import { ExportMenu } from './export-menu.tsx'
import type { ListedRecord } from './records.tsx'

type SelectionBarProps = { definition: Definition; listing: ListControllerResult; csvFields: readonly string[] }

/** The actions on the selected records: the steps open to all of them, export, delete. */
export function SelectionBar({ definition, listing, csvFields }: SelectionBarProps) {
  const { name } = definition
  const { list } = useTexts()
  const { stepTo } = useRecordTexts()
  const { take } = useStep(definition)
  const { may, mayStep } = useMe()
  const notify = useNotify()
  const refresh = useRefresh()
  const undo = useUndo()
  const [isRemoving, setRemoving] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [asked, setAsked] = useState<StepOfSeveral>()
  const { selectedIds: ids, onUnselectItems: unselect, data = [] } = listing
  if (ids.length === 0) return null

  const chosen = data.filter(({ id }) => ids.includes(id))
  const stepsOf = (record: ListedRecord) =>
    stepsFrom(definition, record.status).filter(
      // A step that needs values is offered only if all records have them already.
      (to) =>
        mayStep(name, statusOf(definition), String(record.status), to) &&
        askedFields(definition, record as JsonObject, statusTo(to)).every(({ name: field }) => record[field] !== null),
    )
  const [first = [], ...others] = chosen.map(stepsOf)
  const steps = chosen.length === ids.length ? first.filter((to) => others.every((open) => open.includes(to))) : []

  async function go({ step, records, doubts }: StepOfSeveral): Promise<void> {
    setBusy(true)
    const outcomes = await Promise.all(records.map((record) => take(record, step, { accepts: codesOf(doubts) })))
    const count = (is: Outcome['is']): number => outcomes.filter((outcome) => outcome.is === is).length
    const writeIds = outcomes.flatMap((outcome) => (outcome.is === 'done' ? (outcome.writeId ?? []) : []))
    const left = records.filter((_, place) => outcomes[place]?.is === 'doubtful')
    setBusy(false)
    setAsked(
      left.length === 0
        ? undefined
        : { step, records: left, doubts: outcomes.flatMap((one) => (one.is === 'doubtful' ? one.doubts : [])) },
    )
    const [done, changed] = [count('done'), count('changed')]
    const judged = records.length - left.length
    const said = list.stepsDone(done, judged - done)
    if (judged > 0)
      notify(changed > 0 ? `${said}. ${list.changedMeanwhile(changed)}` : said, {
        type: done < judged ? 'warning' : 'success',
        ...(writeIds.length > 0 ? { undo: () => undo(writeIds.toSorted()) } : {}),
      })
    if (left.length === 0) unselect()
  }

  return (
    <Stack
      role="region"
      aria-label={list.selected(ids.length)}
      direction="row"
      spacing={1}
      sx={{ p: 1, pl: 2, bgcolor: 'action.selected' }}
    >
      <Typography component="span" role="status" variant="subtitle1" sx={{ mr: 1 }}>
        {list.selected(ids.length)}
      </Typography>
      {may(name, 'EDIT') &&
        steps.map((to) => (
          <Button
            key={to}
            size="small"
            variant="outlined"
            disabled={isBusy}
            onClick={() => {
              const step = { step: statusTo(to), records: chosen, doubts: [] }
              if (chosen.some((record) => weightOf(definition, record, step.step))) setAsked(step)
              else go(step)
            }}
          >
            {stepTo(name, statusTo(to), chosen[0] ?? {})}
          </Button>
        ))}
      <ExportMenu
        definition={definition}
        query={{ id_in: ids.join(','), ...listQuery({ fields: csvFields }) }}
        text={list.exportSelected}
        button={{ size: 'small' }}
      />
      {may(name, 'DELETE') && (
        <Button size="small" color="error" onClick={() => setRemoving(true)}>
          {list.deleteSelected}
        </Button>
      )}
      <Button size="small" onClick={() => unselect()}>
        {list.unselect}
      </Button>
      {asked && (
        <StepSeveral
          definition={definition}
          {...asked}
          isBusy={isBusy}
          onConfirm={() => go(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {isRemoving && (
        <RemoveSeveral
          definition={definition}
          ids={ids}
          onClose={() => setRemoving(false)}
          onDone={() => {
            setRemoving(false)
            unselect()
            refresh()
          }}
        />
      )}
    </Stack>
  )
}

/** A step that several records are to take; `doubts` are those that it was refused for. */
type StepOfSeveral = { step: Step; records: readonly ListedRecord[]; doubts: readonly Doubt[] }

const statusTo = (to: string): Step => ({ field: 'status', to })
