import Add from '@mui/icons-material/Add'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { LinkBase, type SortPayload, useGetManyReference, useNavigate } from 'react-admin'
import { type ReferringRecords, statusOf } from '#derive/form/relations.ts'
import { isEditable, type Step } from '#derive/form/steps.ts'
import { columnsOf } from '#derive/form/table.ts'
import { fieldsOf } from '#derive/form.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { createPath, editPath, listPath } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { RowStack, Sheet } from '../../ui/layout.tsx'
import { Empty } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { FormDialog } from '../form/save-form.tsx'
import { Paging } from '../list/paging.tsx'
import type { ListedRecord } from '../list/records.tsx'
import { Records } from '../list/records.tsx'
import { StepButtons, useStepQuestion } from './step-buttons.tsx'

const perPage = 25

/** Lists the records that refer to a record, with their actions. */
export function RelatedList({ related, id }: { related: ReferringRecords; id: number }) {
  const { may, visible } = useMe()
  const { by } = related
  const records = visible(related.records)
  const { name } = records
  const { show, common } = useTexts()
  const { many, add, none } = useRecordTexts()
  const navigate = useNavigate()
  const [page, setPage] = useState(1)
  const [sort, setSort] = useState<SortPayload>({ field: 'id', order: 'DESC' })
  const [isAdding, setAdding] = useState(false)
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
  // A small record is created in a dialog over this page, a large one on a page of its own.
  const isSmall = !records.served
  const startAdding = () => (isSmall ? setAdding(true) : navigate(createPath(name), { state: { given } }))
  const addButton = may(name, 'EDIT') && (
    <Button variant="outlined" startIcon={<Add />} onClick={startAdding}>
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
      {isAdding && <FormDialog definition={records} given={given} onClose={() => setAdding(false)} />}
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
