import { mdiPlus, mdiUploadOutline, mdiViewColumnOutline } from '@mdi/js'
import Button from '@mui/material/Button'
import Checkbox from '@mui/material/Checkbox'
import Divider from '@mui/material/Divider'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { LinkBase, type ListControllerResult, useListController, useStore } from 'ra-core'
import { useEffect, useMemo, useState } from 'react'
import { type Column, columnsOf, sortOf } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import { listQuery } from '../../client/record-provider.ts'
import { useMe } from '../../me/me.tsx'
import { createPath, importPath } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Sheet } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/panel.tsx'
import { Trouble, WaitingNotice } from '../../ui/pending.tsx'
import { BooksButton } from './books-button.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Paging } from './paging.tsx'
import { Records } from './records.tsx'
import { SelectionBar } from './selection-bar.tsx'

/** The list of any resource, with search, filters, sorting, pages, selection and export. */
export function ListPage({ definition }: { definition: Definition }) {
  const { name } = definition
  const { list } = useTexts()
  const { many, add } = useRecordTexts()
  const { may } = useMe()
  const columns = useColumns(definition)
  const { shown } = columns
  const listing = useListController({
    resource: name,
    perPage: 25,
    sort: sortOf(definition),
    disableAuthentication: true,
    queryOptions: { onError: () => undefined },
  })
  const { filterValues, sort, error, refetch } = listing
  // The stored sort field may be withheld from the account by now.
  const isSortable = sort.field in definition.fields
  const { setSort } = listing
  useEffect(() => {
    if (!isSortable) setSort({ field: 'id', order: 'DESC' })
  }, [isSortable, setSort])
  const fields = shown.map(({ name }) => name)
  const hasAny = listing.total !== 0 || Object.keys(filterValues).length > 0
  return (
    <Page
      title={many(name)}
      actions={
        <>
          <ColumnChooser definition={definition} columns={columns} />
          {hasAny && (
            <ExportMenu
              definition={definition}
              query={listQuery({ sort, filter: filterValues, fields })}
              text={list.exportCsv}
              button={{ variant: 'outlined' }}
            />
          )}
          {definition.list?.books && <BooksButton />}
          {may(name, 'EDIT') && (
            <Button
              variant="outlined"
              startIcon={<Icon path={mdiUploadOutline} />}
              component={LinkBase}
              to={importPath(name)}
            >
              {list.importCsv}
            </Button>
          )}
          {may(name, 'EDIT') && (
            <Button variant="contained" startIcon={<Icon path={mdiPlus} />} component={LinkBase} to={createPath(name)}>
              {add(name)}
            </Button>
          )}
        </>
      }
    >
      {hasAny && (
        <FilterBar
          definition={definition}
          values={filterValues}
          onChange={(values) => listing.setFilters(values, {})}
        />
      )}
      {error ? (
        <Trouble error={error} retry={refetch} />
      ) : (
        <Sheet>
          <SelectionBar definition={definition} listing={listing} csvFields={fields} />
          <ListBody definition={definition} columns={shown} listing={listing} />
          {(listing.total ?? 0) > 0 && <Paging listing={listing} />}
        </Sheet>
      )}
    </Page>
  )
}

/** Returns the columns chosen for a resource, which the browser stores, or the usual ones. */
function useColumns(definition: Definition) {
  const [chosen, choose] = useStore<string[] | null>(`columns.${definition.name}`, null)
  const all = useMemo(() => columnsOf(definition), [definition])
  const shown = useMemo(() => {
    const kept =
      chosen === null ? all.filter(({ initial }) => initial) : all.filter(({ name }) => chosen.includes(name))
    // The title is always shown, because it names the row and is its link.
    const title = all.find(({ name }) => name === definition.title) as Column
    return [title, ...kept.filter(({ name }) => name !== definition.title)]
  }, [definition, all, chosen])
  return { all, shown, choose, isUsual: chosen === null }
}

type ListBodyProps = { definition: Definition; columns: readonly Column[]; listing: ListControllerResult }

/** Shows the records of a page as a table or, on a phone, as cards. If there are none, shows the next step. */
function ListBody({ definition, columns, listing }: ListBodyProps) {
  const { name } = definition
  const { list } = useTexts()
  const { many, none, add } = useRecordTexts()
  const { may } = useMe()
  const { data, isPending, total, filterValues, setFilters } = listing
  if (isPending) return <WaitingNotice />
  if (total === 0 && Object.keys(filterValues).length > 0) {
    return (
      <Empty title={list.noMatch} lead={list.noMatchLead}>
        <Button variant="outlined" onClick={() => setFilters({}, {})}>
          {list.clear}
        </Button>
      </Empty>
    )
  }
  if (total === 0) {
    return (
      <Empty title={list.nothing(many(name))} lead={none(name)}>
        {may(name, 'EDIT') && (
          <Button variant="contained" component={LinkBase} to={createPath(name)}>
            {add(name)}
          </Button>
        )}
      </Empty>
    )
  }
  return (
    <Records
      definition={definition}
      columns={columns}
      records={data ?? []}
      filter={filterValues}
      sort={listing.sort}
      onSort={listing.setSort}
      selection={{ ids: listing.selectedIds, choose: listing.onSelect, toggle: listing.onToggleItem }}
    />
  )
}

type ColumnChooserProps = { definition: Definition; columns: ReturnType<typeof useColumns> }

/** Chooses the columns of a list. */
function ColumnChooser({ definition, columns: { all, shown, choose, isUsual } }: ColumnChooserProps) {
  const { list } = useTexts()
  const { label } = useRecordTexts()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const names = shown.map(({ name }) => name)
  const toggle = (name: string) =>
    choose(names.includes(name) ? names.filter((other) => other !== name) : [...names, name])
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<Icon path={mdiViewColumnOutline} />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        sx={{ display: { xs: 'none', sm: 'inline-flex' } }}
      >
        {list.columns}
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        slotProps={{ paper: { component: 'section', 'aria-label': list.columns, sx: { maxHeight: 480 } } as object }}
      >
        {all.map(({ name }) => (
          <MenuItem
            key={name}
            dense
            role="menuitemcheckbox"
            aria-checked={names.includes(name)}
            disabled={name === definition.title}
            onClick={() => toggle(name)}
          >
            <Checkbox
              size="small"
              checked={names.includes(name)}
              tabIndex={-1}
              aria-hidden
              sx={{ p: 0.5, mr: 1 }}
              slotProps={{ input: { tabIndex: -1, 'aria-hidden': true } }}
            />
            {label(definition.name, name)}
          </MenuItem>
        ))}
        <Divider />
        <MenuItem disabled={isUsual} onClick={() => choose(null)}>
          {list.resetColumns}
        </MenuItem>
      </Menu>
    </>
  )
}
