import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import type { Filter } from '#derive/form/table.ts'
import type { Json } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { inputOf } from '../fields/inputs.ts'

type FilterInputProps = { resource: string; filter: Filter; value: Json; onChange(value: Json): void }

/** One filter with the input of its kind. Words are chosen from a list that begins with "any". */
export function FilterInput({ resource, filter, value, onChange }: FilterInputProps) {
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
  const Input = inputOf(filter.kind)
  return (
    <Input
      field={{ ...filter, required: false }}
      resource={resource}
      label={label}
      path={`filter-${filter.parameter}`}
      value={value}
      problems={[]}
      record={{}}
      onChange={onChange}
      onLeave={() => undefined}
    />
  )
}
