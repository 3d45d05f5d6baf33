import { mdiFilterVariant, mdiMagnify } from '@mdi/js'
import Badge from '@mui/material/Badge'
import Button from '@mui/material/Button'
import InputAdornment from '@mui/material/InputAdornment'
import MenuItem from '@mui/material/MenuItem'
import Stack from '@mui/material/Stack'
import TextField from '@mui/material/TextField'
import { useEffect, useRef, useState } from 'react'
import { checkValue } from '#derive/check-value.ts'
import { type Filter, filtersOf } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Tiles } from '../../ui/layout.tsx'
import { FieldInput } from '../fields/inputs.tsx'

type Values = { [parameter: string]: Json }
type FilterBarProps = { definition: Definition; values: Values; onChange(values: Values): void }

/** The search of a list, and a field for each filter of the definition. */
export function FilterBar({ definition, values, onChange }: FilterBarProps) {
  const { list } = useTexts()
  const filters = filtersOf(definition)
  const { q: _, ...narrowing } = values
  const count = Object.keys(narrowing).length
  const [isOpen, setOpen] = useState(false)
  const set = (parameter: string, value: Json) => {
    const { [parameter]: _, ...rest } = values
    onChange(value === null || value === '' ? rest : { ...rest, [parameter]: value })
  }
  const isShown = (filter: Filter) => isOpen || values[filter.parameter] !== undefined
  return (
    <Tiles isKept width={210} gap={1.5} mb={2}>
      {definition.search.length > 0 && (
        <SearchField resource={definition.name} value={String(values.q ?? '')} onChange={(text) => set('q', text)} />
      )}
      {filters.filter(isShown).map((filter) => (
        <FilterInput
          key={filter.parameter}
          resource={definition.name}
          filter={filter}
          value={values[filter.parameter] ?? null}
          onChange={(value) => set(filter.parameter, value)}
        />
      ))}
      <Stack direction="row" spacing={1}>
        {filters.length > 0 && (
          <Badge badgeContent={count} color="primary">
            <Button
              variant="outlined"
              startIcon={<Icon path={mdiFilterVariant} />}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
              sx={{ height: 40 }}
            >
              {list.filters}
            </Button>
          </Badge>
        )}
        {(count > 0 || values.q !== undefined) && <Button onClick={() => onChange({})}>{list.clear}</Button>}
      </Stack>
    </Tiles>
  )
}

/** The search field. Sends a moment after the last letter, so that a word is one request. */
function SearchField({ resource, value, onChange }: { resource: string; value: string; onChange(text: string): void }) {
  const { list } = useTexts()
  const { many } = useRecordTexts()
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  const sent = useRef(value)
  const latest = useRef(onChange)
  latest.current = onChange
  if (value !== seen) {
    setSeen(value)
    // A late value is the one that was sent. It must not replace newer typed text.
    if (value !== sent.current) setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => {
      sent.current = typed
      latest.current(typed)
    }, 250)
    return () => clearTimeout(timer)
  }, [typed, value])
  return (
    <TextField
      type="search"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      placeholder={list.find(many(resource))}
      slotProps={{
        htmlInput: {
          'aria-label': list.find(many(resource)),
          'aria-keyshortcuts': '/',
          style: { textOverflow: 'ellipsis' },
        },
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <Icon path={mdiMagnify} fontSize="small" />
            </InputAdornment>
          ),
        },
      }}
    />
  )
}

type FilterInputProps = { resource: string; filter: Filter; value: Json; onChange(value: Json): void }

/** One filter with the input of its kind. Words are chosen from a list that begins with "any". */
function FilterInput({ resource, filter, value, onChange }: FilterInputProps) {
  const { list, common } = useTexts()
  const { label: labelOf, value: word } = useRecordTexts()
  const plain = labelOf(resource, filter.name)
  const end = filter.parameter.slice(filter.name.length)
  const label = end === '_from' ? list.from(plain) : end === '_to' ? list.to(plain) : plain
  if (filter.kind === 'choice' || filter.kind === 'flag') {
    const options = filter.kind === 'flag' ? ['true', 'false'] : (filter.options ?? [])
    const chosen = value === null ? [] : String(value).split(',')
    const shown = (option: string) =>
      filter.kind === 'flag' ? (option === 'true' ? common.yes : common.no) : word(resource, option)
    return (
      <TextField
        select
        id={`filter-${filter.parameter}`}
        label={label}
        value={chosen}
        onChange={({ target }) => onChange([target.value].flat().join(',') || null)}
        slotProps={{
          select: {
            multiple: true,
            renderValue: (values) => (values as string[]).map(shown).join(', '),
          },
        }}
      >
        {options.map((option) => (
          <MenuItem key={option} value={option} dense>
            {shown(option)}
          </MenuItem>
        ))}
      </TextField>
    )
  }
  return <TypedFilter {...{ resource, filter, value, label, onChange }} />
}

/** A filter whose value is typed. The list is narrowed once the text can be read. */
function TypedFilter({ resource, filter, value, label, onChange }: FilterInputProps & { label: string }) {
  /** The typed value, until the list has it. */
  const [typed, setTyped] = useState<Json | undefined>()
  const [seen, setSeen] = useState(value)
  const [hasLeft, setLeft] = useState(false)
  if (value !== seen) {
    setSeen(value)
    // A late value must not replace what was typed since.
    if (value === null || value === typed) setTyped(undefined)
  }
  const shown = typed === undefined ? value : typed
  const path = `filter-${filter.parameter}`
  const problemsOf = (one: Json) => (one === null ? [] : checkValue(filter.field, one, path).problems)
  return (
    <FieldInput
      field={{ ...filter, required: false }}
      resource={resource}
      label={label}
      path={path}
      value={shown}
      problems={hasLeft ? problemsOf(shown) : []}
      onLeave={() => setLeft(true)}
      onChange={(one) => {
        setLeft(false)
        setTyped(one)
        if (problemsOf(one).length === 0) onChange(one)
      }}
    />
  )
}
