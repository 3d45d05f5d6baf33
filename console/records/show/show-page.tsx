import Delete from '@mui/icons-material/DeleteOutlined'
import Edit from '@mui/icons-material/EditOutlined'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import Tab from '@mui/material/Tab'
import Tabs from '@mui/material/Tabs'
import { useState } from 'react'
import { LinkBase, useGetOne, useNavigate, useParams, useStore } from 'react-admin'
import { madeFrom, relatedTo } from '#derive/form/relations.ts'
import { isEditable } from '#derive/form/steps.ts'
import { showSections } from '#derive/form.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { isRefused } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { createPath, editPath, listPath } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel, Term } from '../../ui/panel.tsx'
import { Trouble, WaitingNotice } from '../../ui/pending.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { LockedNotice } from '../form/locked-notice.tsx'
import { History } from '../history/history.tsx'
import type { ListedRecord } from '../list/records.tsx'
import { RemoveDialog } from '../removal/remove-dialog.tsx'
import { useTitleText } from '../title.ts'
import { RelatedList } from './related-list.tsx'
import { StepButtons } from './step-buttons.tsx'

/** Shows a record: its state, the possible steps, all fields, the related records and the history. */
export function ShowPage({ definition }: { definition: Definition }) {
  const { name } = definition
  const { id = '' } = useParams()
  const { trouble } = useTexts()
  const { many } = useRecordTexts()
  const { data: record, error, refetch, isPending } = useGetOne<ListedRecord>(name, { id }, { retry: false })
  const above = { label: many(name), to: listPath(name) }
  if (record && !error) return <Record definition={definition} record={record} above={above} />
  if (isPending) return <WaitingNotice />
  const isGone = isRefused(error, 'not_found')
  return (
    <Page title={isGone ? trouble.notFound : many(name)} above={above}>
      {!isGone && <Trouble error={error} retry={refetch} />}
    </Page>
  )
}

type RecordProps = { definition: Definition; record: ListedRecord; above: { label: string; to: string } }

function Record({ definition, record, above }: RecordProps) {
  const { name } = definition
  const { common } = useTexts()
  const { may } = useMe()
  const navigate = useNavigate()
  const title = useTitleText(definition)(record)
  const [isRemoving, setRemoving] = useState(false)
  const fields = record as JsonObject
  return (
    <Page
      title={title}
      above={above}
      beside={typeof record.status === 'string' && <StatusChip resource={name} value={record.status} />}
      actions={
        <>
          {may(name, 'EDIT') && (
            <>
              <StepButtons definition={definition} record={record} />
              {isEditable(definition, fields) && (
                <Button variant="outlined" startIcon={<Edit />} component={LinkBase} to={editPath(name, record.id)}>
                  {common.edit}
                </Button>
              )}
            </>
          )}
          <MakeButtons definition={definition} record={fields} />
          {may(name, 'DELETE') && !isProtected(definition, record) && (
            <Button variant="outlined" color="error" startIcon={<Delete />} onClick={() => setRemoving(true)}>
              {common.delete}
            </Button>
          )}
        </>
      }
    >
      <LockedNotice definition={definition} record={fields} />
      <RecordTabs definition={definition} record={record} />
      {isRemoving && (
        <RemoveDialog
          definition={definition}
          id={record.id}
          title={title}
          onClose={() => setRemoving(false)}
          onRemoved={() => navigate(listPath(name))}
        />
      )}
    </Page>
  )
}

function RecordTabs({ definition, record }: { definition: Definition; record: ListedRecord }) {
  const { show } = useTexts()
  const { many, label } = useRecordTexts()
  const { may } = useMe()
  const related = relatedTo(definition.name).filter(({ records }) => may(records.name, 'VIEW'))
  const [wanted, setTab] = useStore(`tab.${definition.name}`, 'overview')
  const keys = ['overview', ...related.map(({ records, by }) => `${records.name}.${by}`), 'history']
  const tab = keys.includes(wanted) ? wanted : 'overview'
  const isTwice = (resource: string) => related.filter(({ records }) => records.name === resource).length > 1
  const chosen = related.find(({ records, by }) => tab === `${records.name}.${by}`)
  return (
    <>
      <Tabs value={tab} onChange={(_, next: string) => setTab(next)} variant="scrollable" scrollButtons="auto">
        <Tab value="overview" label={show.overview} id="tab-overview" aria-controls="tab-panel" />
        {related.map(({ records, by }) => (
          <Tab
            key={`${records.name}.${by}`}
            value={`${records.name}.${by}`}
            id={`tab-${records.name}.${by}`}
            aria-controls="tab-panel"
            label={isTwice(records.name) ? `${many(records.name)} (${label(records.name, by)})` : many(records.name)}
          />
        ))}
        <Tab value="history" label={show.history} id="tab-history" aria-controls="tab-panel" />
      </Tabs>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`}>
        {tab === 'overview' && <Overview definition={definition} record={record} />}
        {tab === 'history' && <History key={String(record.updated_at)} definition={definition} id={record.id} />}
        {chosen && <RelatedList key={tab} related={chosen} id={Number(record.id)} />}
      </div>
    </>
  )
}

/** Buttons that create other records from a record. Their forms begin with its values. */
function MakeButtons({ definition, record }: { definition: Definition; record: JsonObject }) {
  const { make } = useRecordTexts()
  const { may } = useMe()
  const navigate = useNavigate()
  return madeFrom(definition, record)
    .filter(({ records }) => may(records.name, 'EDIT'))
    .map(({ records, given }) => (
      <Button
        key={records.name}
        variant="contained"
        onClick={() => navigate(createPath(records.name), { state: { given } })}
      >
        {make(records.name)}
      </Button>
    ))
}

/** Shows all fields of a record, in the sections of its form. */
function Overview({ definition, record }: { definition: Definition; record: ListedRecord }) {
  const { sections } = useTexts()
  const { label } = useRecordTexts()
  return (
    <Box sx={{ columnCount: { xs: 1, lg: 2 }, columnGap: 2, '& > section': { breakInside: 'avoid' } }}>
      {showSections(definition).map(({ name, fields }) => (
        <Box key={name} component="section" sx={isAlone(name) ? { columnSpan: 'all', pt: 2 } : {}}>
          <Panel title={sections[name]}>
            <Facts>
              {fields.map((field) => (
                <Term key={field.name} name={label(definition.name, field.name)} isAlone={isAlone(name)}>
                  <FieldValue field={field} resource={definition.name} value={record[field.name] as never} />
                </Term>
              ))}
            </Facts>
          </Panel>
        </Box>
      ))}
    </Box>
  )
}

/** Returns whether a section takes both columns, as lines do. */
const isAlone = (section: string): boolean => section === 'lines'

const Facts = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(110px, 2fr) 3fr',
  gap: theme.spacing(1, 2),
  margin: 0,
  '& dt': { fontSize: '0.9rem' },
  [theme.breakpoints.up('sm')]: { gridTemplateColumns: 'minmax(140px, 1fr) 2fr' },
}))
