import Autocomplete from '@mui/material/Autocomplete'
import TextField from '@mui/material/TextField'
import { useEffect, useState } from 'react'
import { useReference } from 'react-admin'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { ask } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { titleOf } from '../title.ts'
import { type InputProps, inputId, useTextField } from './input.ts'

type Option = { id: number; name: string }

/** The input of a reference to another record, which is found by a part of its name. */
export function ReferenceInput(props: InputProps) {
  const { field, value, onChange, onLeave, path } = props
  const { form } = useTexts()
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const chosen = useChosen(field.to as string, value as number | null)
  const { options, isSearching } = useOptions(field.to as string, field.only, isOpen ? typed : null, chosen)
  const shared = useTextField(props)
  return (
    <Autocomplete
      id={inputId(path)}
      options={options}
      value={chosen}
      open={isOpen}
      onOpen={() => setOpen(true)}
      onClose={() => setOpen(false)}
      onInputChange={(_, text, reason) => setTyped(reason === 'input' ? text : '')}
      onChange={(_, option) => onChange(option?.id ?? null)}
      onBlur={onLeave}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(option, other) => option.id === other.id}
      filterOptions={(all) => all}
      loading={isSearching}
      loadingText={form.searching}
      noOptionsText={form.nothingFound}
      renderInput={(params) => (
        <TextField
          {...params}
          label={shared.label}
          required={shared.required}
          error={shared.error}
          helperText={shared.helperText}
        />
      )}
    />
  )
}

/** Loads the name of the referenced record. */
function useChosen(to: string, id: number | null): Option | null {
  const { may } = useMe()
  const { referenceRecord } = useReference({
    reference: to,
    id: id ?? 0,
    options: { enabled: id !== null && may(to, 'VIEW') },
  })
  if (id === null) return null
  return { id, name: referenceRecord ? titleOf(to, referenceRecord) : `#${id}` }
}

function useOptions(
  to: string,
  only: { readonly [name: string]: string } | undefined,
  typed: string | null,
  chosen: Option | null,
) {
  const [found, setFound] = useState<{ typed: string; options: Option[] }>()
  useEffect(() => {
    if (typed === null) return
    const aborter = new AbortController()
    const timer = setTimeout(
      () => search(to, only, typed, aborter.signal).then(setFound, () => undefined),
      typed === '' ? 0 : 180,
    )
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [to, only, typed])
  const options = found?.options ?? []
  const isMissing = chosen !== null && !options.some(({ id }) => id === chosen.id)
  return {
    options: isMissing && !typed ? [chosen, ...options] : options,
    isSearching: typed !== null && found?.typed !== typed,
  }
}

async function search(to: string, only: object | undefined, typed: string, signal: AbortSignal) {
  const definition = definitionOf(registry, to)
  const title = definition?.title ?? 'name'
  const query = {
    limit: 20,
    q: definition?.search.length ? typed : undefined,
    sort: title,
    fields: `id,${title}`,
    ...only,
  }
  const { data } = await ask('records.list', { records: to, query, signal })
  return { typed, options: data.map((record) => ({ id: record.id, name: titleOf(to, record) })) }
}
