import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { type GoingRecords, isRemoval } from '#derive/agent/going.ts'
import type { PlannedChange, Preview, RecordsSummary } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { HistoryEntry, NamedRecord } from '../client/answers.ts'
import { ChangeList } from '../records/history/history.tsx'
import { InvolvedList } from '../records/removal/remove-dialog.tsx'
import { useTitleText } from '../records/title.ts'
import { pathOf } from '../shell/places.ts'
import { useFormat } from '../texts/format.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Bullets, Entry, Pale, PlainList } from '../ui/layout.tsx'
import { MutedText, Text } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Number of changes that are shown at first. Deletions are always shown. */
const shownFirst = 20

type PlannedChangesProps = { plan: Preview; going: GoingRecords; named: readonly NamedRecord[]; isDone: boolean }

/**
 * Shows the effect of a preview: first each record that it deletes, with those that go along, then the other changes
 * with old and new values.
 */
export function PlannedChanges({ plan, going, named, isDone }: PlannedChangesProps) {
  const { agents, removal } = useTexts()
  const [isAll, setAll] = useState(false)
  const { changes, total, would_delete, would_keep: stays } = plan
  const others = changes.filter((change) => !isRemoval(change))
  const shown = isAll ? others : others.slice(0, shownFirst)
  const rest = total - going.count - others.length
  return (
    <>
      <Typography>{agents.records(total)}</Typography>
      {going.count > 0 && (
        <Going>
          <Typography variant="h3" color="error">
            {isDone ? agents.deletedRecords(going.count) : agents.deletes(going.count)}
          </Typography>
          <PlainList aria-label={agents.goes} as="ol">
            {going.named.map((change, place) => (
              <PlannedChangeItem key={`${change.records} ${change.id} ${place}`} change={change} named={named} />
            ))}
          </PlainList>
          {would_delete.length > 0 && <AlongList involved={would_delete} along={going.along} named={named} />}
        </Going>
      )}
      {shown.length > 0 && (
        <PlainList aria-label={agents.plan} as="ol">
          {shown.map((change, place) => (
            <PlannedChangeItem key={`${change.records} ${change.id} ${place}`} change={change} named={named} />
          ))}
        </PlainList>
      )}
      {shown.length < others.length && (
        <Button onClick={() => setAll(true)}>{agents.more(others.length - shown.length)}</Button>
      )}
      {rest > 0 && shown.length === others.length && <MutedText>{agents.beyond(rest)}</MutedText>}
      <InvolvedList isLinked title={removal.stays} involved={stays} />
    </>
  )
}

const Going = styled('section')(({ theme }) => ({
  margin: theme.spacing(1.5, 0, 2),
  padding: theme.spacing(0.5, 0, 0.5, 1.5),
  borderLeft: `3px solid ${theme.vars?.palette.error.main}`,
}))

type AlongListProps = {
  involved: readonly RecordsSummary[]
  along: readonly PlannedChange[]
  named: readonly NamedRecord[]
}

/** Lists the records that go along, by resource: all that the preview shows, and the number of all. */
function AlongList({ involved, along, named }: AlongListProps) {
  const { agents, removal } = useTexts()
  const { many } = useRecordTexts()
  return (
    <Text component="div" mt={1.5}>
      <Typography variant="h3">{removal.goes}</Typography>
      {involved.map(({ records, count }) => {
        const shown = along.filter((change) => change.records === records)
        return (
          <div key={records}>
            <MutedText mt={0.5}>
              {count} × {many(records)}
            </MutedText>
            <Bullets>
              {shown.map(({ id }) => (
                <li key={id}>
                  <RecordTitle records={records} id={id} named={named} isLinked />
                  <RecentChanges records={records} id={id} named={named} />
                </li>
              ))}
              {count > shown.length && <li>{agents.beyond(count - shown.length)}</li>}
            </Bullets>
          </div>
        )
      })}
    </Text>
  )
}

type PlannedRecordProps = { records: string; id: number | null; named: readonly NamedRecord[] }

const findRecord = ({ records, id, named }: PlannedRecordProps): NamedRecord | undefined =>
  named.find((one) => one.records === records && one.record_id === id)

/** Shows the title and the id of a record. */
function RecordTitle({ isLinked, ...props }: PlannedRecordProps & { isLinked: boolean }) {
  const { records, id } = props
  const definition = definitionOf(registry, records)
  if (id === null || !definition) return null
  const title = findRecord(props)?.title
  return (
    <>
      {title && (
        <>
          {isLinked ? (
            <TextLink underline="always" to={pathOf(records, id)}>
              <RecordName records={records} title={title} />
            </TextLink>
          ) : (
            <RecordName records={records} title={title} />
          )}{' '}
        </>
      )}
      <Pale>#{id}</Pale>
    </>
  )
}

function RecordName({ records, title }: { records: string; title: NonNullable<NamedRecord['title']> }) {
  const definition = definitionOf(registry, records) ?? registry[0]
  const titleText = useTitleText(definition as NonNullable<typeof definition>)
  return <Foreign text={titleText({ [definition?.title ?? 'name']: title })} />
}

function PlannedChangeItem({ change, named }: { change: PlannedChange; named: readonly NamedRecord[] }) {
  const { agents } = useTexts()
  const { one } = useRecordTexts()
  const { records, id, action, fields } = change
  const definition = definitionOf(registry, records)
  const isGone = isRemoval(change)
  return (
    <Entry>
      <Typography color={isGone ? 'error' : undefined}>
        <strong>{agents.actions[action]}</strong> {one(records)}{' '}
        <RecordTitle records={records} id={id} named={named} isLinked />
      </Typography>
      <RecentChanges records={records} id={id} named={named} />
      {fields === undefined && !isGone && <MutedText>{agents.hidden}</MutedText>}
      {definition && fields && <ChangeList definition={definition} changes={fields} isNew={action === 'created'} />}
    </Entry>
  )
}

/** Shows the changes by the same token within the last day, the newest first: it may have made the record look harmless. */
function RecentChanges(props: PlannedRecordProps) {
  const { agents } = useTexts()
  const recent = findRecord(props)?.recent ?? []
  const definition = definitionOf(registry, props.records)
  if (recent.length === 0 || !definition) return null
  return (
    <Note>
      <MutedText component="span">{agents.recently}</MutedText>
      <Bullets isSmall>
        {recent.map((entry) => (
          <RecentChange key={entry.id} entry={entry} title={definition.title} records={props.records} />
        ))}
      </Bullets>
    </Note>
  )
}

const Note = styled('div')(({ theme }) => ({ margin: theme.spacing(0.5, 0), color: theme.vars?.palette.text.primary }))

function RecentChange({ entry, title, records }: { entry: HistoryEntry; title: string; records: string }) {
  const { agents } = useTexts()
  const format = useFormat()
  const definition = definitionOf(registry, records)
  const { at, action, changes } = entry
  const { [title]: renamed, ...others } = changes ?? {}
  const isNew = /^create/.test(action)
  const isRenamed = !isNew && renamed !== undefined && renamed[0] !== null
  const when = format.ago(at)
  const said = isNew ? agents.createdAgo(when) : isRenamed ? agents.renamedAgo(when) : agents.changedAgo(when)
  return (
    <li>
      <time dateTime={at} title={format.exactly(at)}>
        {said}
      </time>
      {isRenamed && (
        <>
          {', '}
          {agents.renamedFrom} <RecordName records={records} title={renamed[0] as never} />
        </>
      )}
      {definition && !isNew && <ChangeList definition={definition} changes={others} isNew={false} />}
    </li>
  )
}
