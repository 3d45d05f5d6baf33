import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { HistoryEntry } from '#derive/console/responses.ts'
import { type FormField, fieldsOf } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import type { Texts } from '../../texts/en/index.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Bullets, Entry, Pale, PlainList } from '../../ui/layout.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { UndoButton } from './undo-button.tsx'

/** Lists the changes of a record with author, time and channel. */
export function History({ definition, id }: { definition: Definition; id: number | string }) {
  const texts = useTexts()
  const [limit, setLimit] = useState(25)
  const { answer, error, reload } = useLoaded('records.history', { records: definition.name, id, query: { limit } })
  if (error || !answer) return <PendingContent error={error} retry={reload} />
  const { data, meta } = answer
  if (data.length === 0) return <Typography color="textSecondary">{texts.history.none}</Typography>
  return (
    <>
      <PlainList as="ol">
        {data.map((entry, index) => (
          <EntryItem key={`${entry.at}${index}`} entry={entry} definition={definition} onUndone={reload} />
        ))}
      </PlainList>
      {meta.total > data.length && limit < 100 && <Button onClick={() => setLimit(100)}>{texts.history.more}</Button>}
    </>
  )
}

type EntryItemProps = { entry: HistoryEntry; definition: Definition; onUndone(): void }

function EntryItem({ entry, definition, onUndone }: EntryItemProps) {
  const { history } = useTexts()
  const format = useFormat()
  const { label } = useRecordTexts()
  const who = entry.who?.name ?? history.system
  const channel = channelOf(entry, history)
  const { may } = useMe()
  const { write_id: writeId } = entry
  const fields = fieldsOf(definition)
  const changes = Object.entries(entry.changes ?? {}).flatMap(([name, change]) => {
    const field = fields.find((candidate) => candidate.name === name)
    return field ? [{ field, change }] : []
  })
  return (
    <Entry sx={{ py: 1.5 }}>
      <Typography>
        <strong>{who}</strong> {history.actions[entry.action] ?? entry.action}{' '}
        <Typography component="span" color="textSecondary">
          {channel} · <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        </Typography>
      </Typography>
      {writeId !== null && (may(definition.name, 'EDIT') || may(definition.name, 'DELETE')) && (
        <UndoButton writeId={writeId} onUndone={onUndone} />
      )}
      {changes.length > 0 && (
        <Bullets mt={0.5}>
          {changes.map(({ field, change: [old, now] }) => (
            <li key={field.name}>
              {label(definition.name, field.name)}:{' '}
              <Change
                field={field}
                resource={definition.name}
                old={old}
                now={now}
                isNew={/^create/.test(entry.action)}
              />
            </li>
          ))}
        </Bullets>
      )}
    </Entry>
  )
}

type ChangeProps = { field: FormField; resource: string; old: Json; now: Json; isNew: boolean }

/** Shows the old and the new value of a field. */
export const Change = ({ field, resource, old, now, isNew }: ChangeProps) => (
  <>
    {!isNew && (
      <>
        <Pale as="del">
          <FieldValue isShort field={field} resource={resource} value={old} />
        </Pale>
        {' → '}
      </>
    )}
    <ins>
      <FieldValue isShort field={field} resource={resource} value={now} />
    </ins>
  </>
)

/** Formats the channel of a change. For a token it also names its issuer, if that is somebody else. */
export function channelOf(
  { token_label: token, issuer, who, door }: Pick<HistoryEntry, 'token_label' | 'issuer' | 'who' | 'door'>,
  history: Texts['history'],
): string {
  if (!token) return history.door[door] ?? ''
  return issuer && issuer.account_id !== who?.account_id ? history.apiOf(token, issuer.name) : history.api(token)
}
