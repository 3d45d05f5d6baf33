import { mdiDeleteOutline, mdiPencilOutline, mdiPlus } from '@mdi/js'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import Tab from '@mui/material/Tab'
import Tabs from '@mui/material/Tabs'
import { LinkBase, type SortPayload, useGetManyReference, useGetOne, useNavigate, useParams, useStore } from 'ra-core'
import { useState } from 'react'
import { madeFrom, type ReferringRecords, relatedTo, statusOf } from '#derive/form/relations.ts'
import { isEditable, type Step } from '#derive/form/steps.ts'
import { columnsOf, sortOf } from '#derive/form/table.ts'
import { fieldsOf, showSections } from '#derive/form.ts'
import { type Definition, hasPaper, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { isRefused } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { createPath, editPath, listPath } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { RowStack, Sheet } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Panel, Term } from '../../ui/panel.tsx'
import { PendingContent, Trouble, WaitingNotice } from '../../ui/pending.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { LockedNotice } from '../form/locked-notice.tsx'
import { FormDialog } from '../form/save-form.tsx'
import { useGiving } from '../form/use-giving.tsx'
import { History } from '../history/history.tsx'
import { DuePanels } from '../list/due-panel.tsx'
import { Paging } from '../list/paging.tsx'
import { type ListedRecord, Records } from '../list/records.tsx'
import { PaperButtons } from '../paper/paper-buttons.tsx'
import { RemoveDialog } from '../removal/remove-dialog.tsx'
import { useTitleText } from '../title.ts'
import { CopyButtons } from './copy-buttons.tsx'
import { MoneyPanel } from './money-panel.tsx'
import { StepButtons, useStepQuestion } from './step-buttons.tsx'

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
  const title = quote(useTitleText(definition)(record))
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
                <Button
                  variant="outlined"
                  startIcon={<Icon path={mdiPencilOutline} />}
                  component={LinkBase}
                  to={editPath(name, record.id)}
                >
                  {common.edit}
                </Button>
              )}
            </>
          )}
          {hasPaper(definition) && <PaperButtons definition={definition} id={record.id} />}
          {/* Their forms begin with values of this record. */}
          {madeFrom(definition, fields)
            .filter(({ records }) => may(records.name, 'EDIT'))
            .map((related) => (
              <MakeButton key={related.records.name} related={related} record={fields} />
            ))}
          {may(name, 'EDIT') && <CopyButtons definition={definition} record={record} />}
          {may(name, 'DELETE') && !isProtected(definition, record) && (
            <Button
              variant="outlined"
              color="error"
              startIcon={<Icon path={mdiDeleteOutline} />}
              onClick={() => setRemoving(true)}
            >
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

/** A button that begins a record with the values of this one. */
function MakeButton({ related: { records, by }, record }: { related: ReferringRecords; record: JsonObject }) {
  const { make } = useRecordTexts()
  const navigate = useNavigate()
  const giving = useGiving(records, by, (given) => navigate(createPath(records.name), { state: { given } }))
  return (
    <>
      <Button variant="contained" onClick={() => giving.start(record)}>
        {make(records.name)}
      </Button>
      {giving.dialog}
    </>
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
      <Tabs value={tab} onChange={(_, next: string) => setTab(next)}>
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
        {tab === 'overview' && (
          <>
            <DuePanels of={{ records: definition.name, id: Number(record.id) }} />
            {definition.sums && <MoneyPanel definition={definition} sums={definition.sums} record={record} />}
            <Overview definition={definition} record={record} />
          </>
        )}
        {tab === 'history' && <History key={String(record.updated_at)} definition={definition} id={record.id} />}
        {chosen && <RelatedList key={tab} related={chosen} record={record as JsonObject} />}
      </div>
    </>
  )
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

const perPage = 25

/** Lists the records that refer to a record, with their actions. */
function RelatedList({ related, record }: { related: ReferringRecords; record: JsonObject }) {
  const { may, visible } = useMe()
  const { by } = related
  const id = record.id as number
  const records = visible(related.records)
  const { name } = records
  const { show, common } = useTexts()
  const { many, add, none } = useRecordTexts()
  const navigate = useNavigate()
  const [page, setPage] = useState(1)
  const [sort, setSort] = useState<SortPayload>(sortOf(records))
  const [adding, setAdding] = useState<JsonObject>()
  // A small record is created in a dialog over this page, a large one on a page of its own.
  const isSmall = !records.served
  const giving = useGiving(records, by, (values) =>
    isSmall ? setAdding(values) : navigate(createPath(name), { state: { given: values } }),
  )
  const {
    data,
    total = 0,
    error,
    isPending,
    refetch,
  } = useGetManyReference<ListedRecord>(name, {
    target: by,
    id,
    pagination: { page, perPage },
    sort,
    filter: {},
  })
  if (error || isPending) return <PendingContent error={error} retry={refetch} />

  const given = { [by]: id }
  const addButton = may(name, 'EDIT') && (
    <Button variant="outlined" startIcon={<Icon path={mdiPlus} />} onClick={() => giving.start(record)}>
      {add(name)}
    </Button>
  )
  return (
    <>
      <RowStack spacing={1} mb={1.5}>
        {total > 0 && addButton}
        {total > 0 && (
          <Button component={LinkBase} to={listPath(name, given)}>
            {show.showAll}
          </Button>
        )}
      </RowStack>
      {total === 0 ? (
        <Empty title={show.nothingRelated(many(name))} lead={none(name)}>
          {addButton}
        </Empty>
      ) : (
        <Sheet>
          <Records
            definition={records}
            columns={columnsOf(records).filter(({ name: column, initial }) => initial && column !== by)}
            records={data}
            filter={given}
            sort={sort}
            onSort={setSort}
            actionsOf={
              may(name, 'EDIT')
                ? (record) => (
                    <>
                      {statusOf(records)?.moves && <StepButtons isSmall definition={records} record={record} />}
                      <FlagButton definition={records} record={record} />
                      {isEditable(records, record as JsonObject) && (
                        <Button size="small" component={LinkBase} to={editPath(name, record.id)}>
                          {common.edit}
                        </Button>
                      )}
                    </>
                  )
                : undefined
            }
          />
          {total > perPage && <Paging listing={{ page, perPage, total, setPage }} />}
        </Sheet>
      )}
      {giving.dialog}
      {adding && <FormDialog definition={records} given={adding} settled={[by]} onClose={() => setAdding(undefined)} />}
    </>
  )
}

/** A button that sets the flag of a record, or clears it if the flag locks the record. */
function FlagButton({ definition, record }: { definition: Definition; record: ListedRecord }) {
  const { name } = definition
  const { stepTo } = useRecordTexts()
  const { start, busy, dialog } = useStepQuestion(definition)
  const flag = fieldsOf(definition).find(({ kind, readOnly }) => kind === 'flag' && !readOnly)
  if (!flag) return null
  const isOn = record[flag.name] === true
  if (isOn && !isProtected(definition, record)) return null
  const step: Step = { field: flag.name, to: !isOn }
  return (
    <>
      <Button size="small" loading={busy !== undefined} onClick={() => start(record, step)}>
        {stepTo(name, step, record as JsonObject)}
      </Button>
      {dialog}
    </>
  )
}
