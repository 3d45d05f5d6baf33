import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { type ListControllerResult, useNotify, useRefresh } from 'react-admin'
import { isFinal, stepsFrom } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { addressOf, ask } from '../../client/ask.ts'
import { listQuery } from '../../client/record-provider.ts'
import { useMe } from '../../me/me.tsx'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { RemoveSeveral } from '../removal/remove-several.tsx'
import { useUndo } from '../removal/use-undo.ts'
import { FinalStep } from '../show/final-step.tsx'

type SelectionBarProps = { definition: Definition; listing: ListControllerResult; csvFields: readonly string[] }

/** What can be done with the records that are ticked: the steps open to all of them, export, delete. */
export function SelectionBar({ definition, listing, csvFields }: SelectionBarProps) {
  const { name } = definition
  const { list } = useTexts()
  const { step } = useRecordTexts()
  const { may } = useMe()
  const notify = useNotify()
  const refresh = useRefresh()
  const undo = useUndo()
  const [isRemoving, setRemoving] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [asked, setAsked] = useState<string>()
  const { selectedIds: ids, onUnselectItems: unselect, data = [] } = listing
  if (ids.length === 0) return null

  const chosen = data.filter(({ id }) => ids.includes(id))
  const [first = [], ...others] = chosen.map(({ status }) => stepsFrom(definition, status))
  const steps = chosen.length === ids.length ? first.filter((to) => others.every((open) => open.includes(to))) : []

  async function take(to: string): Promise<void> {
    setBusy(true)
    const answers = await Promise.allSettled(
      ids.map((id) => ask('records.update', { records: name, id, body: { status: to } })),
    )
    const failed = answers.filter(({ status }) => status === 'rejected').length
    const writeIds = answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value.writeId ?? []) : []))
    setBusy(false)
    notify(list.stepsDone(ids.length - failed, failed), {
      type: failed > 0 ? 'warning' : 'success',
      ...(writeIds.length > 0 ? { undo: () => undo(writeIds.toSorted()) } : {}),
    })
    unselect()
    refresh()
  }

  return (
    <Box
      role="region"
      aria-label={list.selected(ids.length)}
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', p: 1, pl: 2, bgcolor: 'action.selected' }}
    >
      <Box component="span" role="status" sx={{ fontWeight: 600, mr: 1 }}>
        {list.selected(ids.length)}
      </Box>
      {may(name, 'EDIT') &&
        steps.map((to) => (
          <Button
            key={to}
            size="small"
            variant="outlined"
            disabled={isBusy}
            onClick={() => (isFinal(definition, to) ? setAsked(to) : take(to))}
          >
            {step(name, to)}
          </Button>
        ))}
      <Button
        size="small"
        href={addressOf('records.export', {
          records: name,
          query: { ids: ids.join(','), ...listQuery({ fields: csvFields }) },
        })}
        download
      >
        {list.exportSelected}
      </Button>
      {may(name, 'DELETE') && (
        <Button size="small" color="error" onClick={() => setRemoving(true)}>
          {list.deleteSelected}
        </Button>
      )}
      <Button size="small" onClick={() => unselect()}>
        {list.unselect}
      </Button>
      {asked && (
        <FinalStep resource={name} to={asked} onConfirm={() => take(asked)} onClose={() => setAsked(undefined)} />
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
    </Box>
  )
}
