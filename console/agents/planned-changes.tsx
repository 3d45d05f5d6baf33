import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { fieldsOf } from '#derive/form.ts'
import { isObject, type Json } from '#registry/json.ts'
import type { PlannedChange, Preview } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { ReferenceName } from '../records/fields/field-value.tsx'
import { Change } from '../records/history/history.tsx'
import { InvolvedList } from '../records/removal/involved-list.tsx'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Bullets, Entry, PlainList } from '../ui/layout.tsx'
import { MutedText } from '../ui/panel.tsx'

/** Number of changes that are shown at first. */
const shownFirst = 20

/** Shows the effect of a preview: each record with old and new values, and the records that go along. */
export function PlannedChanges({ plan }: { plan: Preview }) {
  const { agents, removal } = useTexts()
  const [isAll, setAll] = useState(false)
  const { changes, total, would_delete: goes, would_keep: stays } = plan
  const shown = isAll ? changes : changes.slice(0, shownFirst)
  return (
    <>
      <Typography>{agents.records(total)}</Typography>
      <PlainList aria-label={agents.plan} as="ol">
        {shown.map((change, place) => (
          <PlannedList key={`${change.records} ${change.id} ${place}`} change={change} />
        ))}
      </PlainList>
      {shown.length < changes.length && (
        <Button onClick={() => setAll(true)}>{agents.more(changes.length - shown.length)}</Button>
      )}
      {isAll && changes.length < total && <MutedText>{agents.beyond(total - changes.length)}</MutedText>}
      <InvolvedList isLinked title={removal.goes} involved={goes} />
      <InvolvedList isLinked title={removal.stays} involved={stays} />
    </>
  )
}

function PlannedList({ change: { records, id, action, fields } }: { change: PlannedChange }) {
  const { agents } = useTexts()
  const { one, label } = useRecordTexts()
  const definition = definitionOf(registry, records)
  const known = definition ? fieldsOf(definition) : []
  const rows = Object.entries(fields ?? {}).flatMap(([name, change]) => {
    const field = known.find((one) => one.name === name)
    return field && Array.isArray(change) ? [{ field, old: change[0] as Json, now: change[1] as Json }] : []
  })
  const isGone = action === 'deleted' || action === 'erased'
  return (
    <Entry>
      <Typography color={isGone ? 'error' : undefined}>
        <strong>{agents.actions[action]}</strong> {one(records)}{' '}
        {id !== null && <ReferenceName underline="always" to={records} id={id} />}
      </Typography>
      {fields === undefined && !isGone && <MutedText>{agents.hidden}</MutedText>}
      {rows.length > 0 && (
        <Bullets mt={0.5}>
          {rows.map(({ field, old, now }) => (
            <li key={field.name}>
              {label(records, field.name)}:{' '}
              {isObject(now) && 'made' in now ? (
                agents.newRecord
              ) : (
                <Change field={field} resource={records} old={old} now={now} isNew={action === 'created'} />
              )}
            </li>
          ))}
        </Bullets>
      )}
    </Entry>
  )
}
