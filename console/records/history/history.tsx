import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useNotify, useRefresh } from 'ra-core'
import { useState } from 'react'
import { type FormField, fieldsOf } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import type { HistoryEntry } from '../../client/answers.ts'
import { previewUndo } from '../../client/ask.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import type { Texts } from '../../texts/en/index.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Bullets, Entry, Pale, PlainList } from '../../ui/layout.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { FieldValue } from '../fields/field-value.tsx'

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
  const channel = channelOf(entry, history)
  const { may } = useMe()
  const { write_id: writeId } = entry
  return (
    <Entry sx={{ py: 1.5 }}>
      <Typography>
        <strong>
          <Author of={entry} />
        </strong>{' '}
        {history.actions[entry.action] ?? entry.action}{' '}
        <Typography component="span" color="textSecondary">
          {channel} · <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        </Typography>
      </Typography>
      {writeId !== null && (may(definition.name, 'EDIT') || may(definition.name, 'DELETE')) && (
        <UndoButton writeId={writeId} onUndone={onUndone} />
      )}
      <ChangeList definition={definition} changes={entry.changes ?? {}} isNew={/^create/.test(entry.action)} />
    </Entry>
  )
}

/** Shows the author of a change: an account, or the service itself. */
export function Author({
  of: { who, token_label },
}: {
  of: Pick<HistoryEntry, 'who'> & Partial<Pick<HistoryEntry, 'token_label'>>
}) {
  const { history } = useTexts()
  const name = who?.name ?? token_label
  return name ? <Foreign text={name} /> : history.system
}

type ChangeListProps = { definition: Definition; changes: { readonly [field: string]: unknown }; isNew: boolean }

/** Lists the changed fields of a record with their old and new values. */
export function ChangeList({ definition, changes, isNew }: ChangeListProps) {
  const { name } = definition
  const { agents } = useTexts()
  const { label } = useRecordTexts()
  const fields = fieldsOf(definition)
  const rows = Object.entries(changes).flatMap(([changed, change]) => {
    const field = fields.find((candidate) => candidate.name === changed)
    return field && Array.isArray(change) ? [{ field, old: change[0] as Json, now: change[1] as Json }] : []
  })
  if (rows.length === 0) return null
  return (
    <Bullets mt={0.5}>
      {rows.map(({ field, old, now }) => (
        <li key={field.name}>
          {label(name, field.name)}:{' '}
          {isObject(now) && 'made' in now ? (
            agents.newRecord
          ) : (
            <Change field={field} resource={name} old={old} now={now} isNew={isNew} />
          )}
        </li>
      ))}
    </Bullets>
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
  return issuer && issuer.account_id !== who?.account_id
    ? history.apiOf(quote(token), quote(issuer.name))
    : history.api(quote(token))
}

/** Returns the function that undoes writes, the newest first. Its notice has a button that undoes the undo. */
export function useUndo() {
  const texts = useTexts()
  const write = useWrite()
  const notify = useNotify()
  const refresh = useRefresh()
  return async function undo(writeIds: readonly string[]): Promise<void> {
    const undone: string[] = []
    try {
      for (const id of writeIds.toReversed()) {
        for (let remaining = 1; remaining > 0; ) {
          const { data, writeId } = await write('writes.undo', { id })
          remaining = data.remaining
          if (writeId !== null) undone.push(writeId)
        }
      }
      notify(texts.common.undone, { type: 'success', undo: () => void undo(undone) })
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    refresh()
  }
}

/** Undoes a write. Asks first if the write changed other records too, such as an import. */
export function UndoButton({ writeId, onUndone }: { writeId: string; onUndone(): void }) {
  const texts = useTexts()
  const { common, history } = texts
  const notify = useNotify()
  const undo = useUndo()
  const [records, setRecords] = useState<number>()
  const [isBusy, setBusy] = useState(false)
  const close = (): void => setRecords(undefined)

  async function takeBack(): Promise<void> {
    close()
    await undo([writeId])
    onUndone()
  }

  async function look(): Promise<void> {
    setBusy(true)
    try {
      const { data } = await previewUndo(writeId)
      const count = data.records + data.remaining
      if (count > 1) setRecords(count)
      else await takeBack()
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    setBusy(false)
  }

  return (
    <>
      <Button size="small" loading={isBusy} onClick={look}>
        {common.undo}
      </Button>
      {records !== undefined && (
        <AskFirst title={history.undoTitle} confirm={common.undo} onConfirm={takeBack} onClose={close}>
          <Typography>{history.undoMany(records)}</Typography>
        </AskFirst>
      )}
    </>
  )
}
