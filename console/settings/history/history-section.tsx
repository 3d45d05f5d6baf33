import Typography from '@mui/material/Typography'
import { type ReactNode, useState } from 'react'
import { type FormField, fieldAt, fieldsOf } from '#derive/form.ts'
import { company } from '#registry/company.ts'
import type { Json } from '#registry/json.ts'
import type { HistoryEntry } from '../../client/answers.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { FieldValue } from '../../records/fields/field-value.tsx'
import { Author, channelOf } from '../../records/history/history.tsx'
import { Paging } from '../../records/list/paging.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Entry, PlainList } from '../../ui/layout.tsx'
import { Empty, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'

const perPage = 25

/** Lists the changes of settings, newest first. */
export function HistorySection() {
  const { sections, history } = useTexts().settings
  const [page, setPage] = useState(1)
  const { answer, error, reload } = useLoaded('settings.history', { query: pageQuery(page, perPage) })
  const total = answer?.meta.total ?? 0
  return (
    <Panel title={sections.history}>
      <Typography color="textSecondary">{history.lead}</Typography>
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && total === 0 && <Empty title={history.none} />}
      {answer && total > 0 && (
        <>
          <PlainList aria-label={sections.history} as="ol">
            {answer.data.map((entry) => (
              <SettingsEntry
                key={entry.id}
                entry={entry}
                what={
                  <>
                    {history.kinds[entry.records] ?? entry.records} {entry.title && <Foreign text={entry.title} />}
                  </>
                }
              />
            ))}
          </PlainList>
          <Paging listing={{ page, perPage, total, setPage }} />
        </>
      )}
    </Panel>
  )
}

type SettingsEntryProps = { entry: HistoryEntry; did?: { [action: string]: string }; what?: ReactNode }

/** Shows one change of settings: author, action, channel, time, and the differences. */
export function SettingsEntry({ entry, did, what }: SettingsEntryProps) {
  const { settings, history } = useTexts()
  const format = useFormat()
  return (
    <Entry>
      <Typography>
        {what && <>{what} · </>}
        <strong>
          <Author of={{ who: entry.who }} />
        </strong>{' '}
        {did?.[entry.action] ?? settings.history.did[entry.action] ?? history.actions[entry.action] ?? entry.action}{' '}
        <Typography component="span" color="textSecondary">
          {channelOf(entry, history)} · <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        </Typography>
      </Typography>
      <SettingsChanges {...entry} />
    </Entry>
  )
}

/** Shows the changed settings, a line each. Those of the company are values of its fields. */
export function SettingsChanges({ records, changes }: Pick<HistoryEntry, 'changes'> & { records?: string }) {
  const fields: { readonly [name: string]: string } = useTexts().settings.fields
  const { label } = useRecordTexts()
  return Object.entries(changes ?? {})
    .filter(([, change]) => Array.isArray(change))
    .map(([name, change]) => {
      const field = records === company.name ? fieldAt(fieldsOf(company), name) : undefined
      return (
        <Typography key={name} variant="body2">
          {field ? label(company.name, name) : (fields[name] ?? quote(name))}:{' '}
          {field ? <FieldChange field={field} change={change} /> : <Difference name={name} change={change} />}
        </Typography>
      )
    })
}

const FieldChange = ({ field, change: [old, now] }: { field: FormField; change: [Json, Json] }) => (
  <>
    <FieldValue isShort field={field} resource={company.name} value={old} /> →{' '}
    <FieldValue isShort field={field} resource={company.name} value={now} />
  </>
)

/**
 * Shows an old and a new value. Shows a first value alone, only the added and removed entries of a list, and of a
 * password only that it was changed.
 */
function Difference({ name, change: [old, now] }: { name: string; change: [Json, Json] }) {
  const { settings, common } = useTexts()
  const { history } = settings
  const shown = (value: Json): string => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return history.nothing
    if (typeof value === 'boolean') return value ? common.yes : common.no
    if (Array.isArray(value)) return value.map((item) => quote(String(item))).join(', ')
    return quote(typeof value === 'string' ? value : JSON.stringify(value))
  }
  if (name === 'password') return history.newValue
  if (old === null && facts.includes(name)) return shown(now)
  if (!Array.isArray(old) || !Array.isArray(now)) return `${shown(old)} → ${shown(now)}`
  const parts = [
    [history.added, now.filter((item) => !old.includes(item))],
    [history.removed, old.filter((item) => !now.includes(item))],
  ] as const
  return parts
    .flatMap(([word, items]) =>
      items.length === 0 ? [] : [`${word}: ${items.map((item) => quote(String(item))).join(', ')}`],
    )
    .join('; ')
}

/** Members of exports and imports that have one value and never an old one. */
const facts = ['resource', 'rows', 'format', 'write_id', 'exported_at']
