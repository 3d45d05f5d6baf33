import { mdiCheck } from '@mdi/js'
import Checkbox from '@mui/material/Checkbox'
import type { Definition } from '#registry/definition.ts'
import { eventActions, eventName } from '#registry/webhooks.ts'
import { servedDefinitions } from '../shell/places.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { DataTable, type TableColumn } from '../ui/data-table.tsx'
import { Icon } from '../ui/icon.tsx'

type MatrixProps = Omit<RecordMatrixProps, 'columns' | 'codeOf'>

/** A matrix of resources and rights. */
export function ScopeMatrix(props: MatrixProps) {
  const { settings, common } = useTexts()
  const { api } = settings
  return (
    <RecordMatrix
      {...props}
      columns={[
        { key: 'VIEW', name: api.view },
        { key: 'EDIT', name: api.edit },
        { key: 'DELETE', name: common.delete },
      ]}
      codeOf={(resource, action) => `${resource.toUpperCase()}_${action}`}
    />
  )
}

/** A matrix of resources and events. */
export function EventMatrix(props: Omit<MatrixProps, 'label'>) {
  const { webhooks, fields } = useTexts().settings
  const columns = eventActions.map((action) => ({ key: action, name: webhooks.actions[action] }))
  return <RecordMatrix {...props} label={fields.events} columns={columns} codeOf={eventName} />
}

type RecordMatrixProps = {
  label: string
  resources?: readonly Definition[]
  columns: readonly { key: string; name: string }[]
  codeOf(resource: string, column: string): string
  chosen: readonly string[]
  /** The codes that can be ticked. All if absent. */
  held?: ReadonlySet<string>
  isReadOnly?: boolean
  onChange?(chosen: string[]): void
}

/** A matrix of codes that can be chosen, with a row for each resource. */
function RecordMatrix(props: RecordMatrixProps) {
  const { label, resources = servedDefinitions, columns, codeOf, chosen, held, isReadOnly, onChange } = props
  const { settings } = useTexts()
  const { many } = useRecordTexts()
  const isHeld = (code: string) => held === undefined || held.has(code)
  const set = (codes: readonly string[], yes: boolean) =>
    onChange?.(yes ? [...new Set([...chosen, ...codes])] : chosen.filter((code) => !codes.includes(code)))
  const columnOf = ({ key, name }: (typeof columns)[number]): TableColumn<Definition> => {
    const codes = resources.map((row) => codeOf(row.name, key)).filter(isHeld)
    const ticked = codes.filter((code) => chosen.includes(code)).length
    return {
      key,
      align: 'center',
      title: (
        <>
          {name}
          {!isReadOnly && (
            <div>
              <Checkbox
                size="small"
                disabled={codes.length === 0}
                checked={codes.length > 0 && ticked === codes.length}
                indeterminate={ticked > 0 && ticked < codes.length}
                onChange={({ target }) => set(codes, target.checked)}
                slotProps={{ input: { 'aria-label': `${settings.api.all}: ${name}` } }}
              />
            </div>
          )}
        </>
      ),
      hintOf: (row) => (isHeld(codeOf(row.name, key)) ? undefined : settings.api.notHeld),
      cell: (row) => {
        const code = codeOf(row.name, key)
        if (isReadOnly) return chosen.includes(code) && <Icon path={mdiCheck} fontSize="small" titleAccess={name} />
        return (
          <Checkbox
            size="small"
            sx={{ p: 0.5 }}
            disabled={!isHeld(code)}
            checked={chosen.includes(code)}
            onChange={({ target }) => set([code], target.checked)}
            slotProps={{ input: { 'aria-label': `${many(row.name)}: ${name}` } }}
          />
        )
      },
    }
  }
  return (
    <DataTable
      label={label}
      items={resources}
      keyOf={({ name }) => name}
      isFocusable={isReadOnly}
      sx={{ maxWidth: 640, '& td, & th': { px: { xs: 0.75, sm: 2 } } }}
      columns={[{ title: label, isHeading: true, cell: ({ name }) => many(name) }, ...columns.map(columnOf)]}
    />
  )
}
