import Autocomplete from '@mui/material/Autocomplete'
import Box from '@mui/material/Box'
import Dialog from '@mui/material/Dialog'
import TextField from '@mui/material/TextField'
import { useNavigate } from 'ra-core'
import { useEffect, useState } from 'react'
import { registry } from '#registry/resources/index.ts'
import { ask } from '../client/ask.ts'
import { useMe } from '../me/me.tsx'
import { titleOf } from '../records/title.ts'
import { type ForeignText, quote } from '../texts/foreign.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Pale } from '../ui/layout.tsx'
import { pathOf } from './places.ts'

type Hit = { resource: string; id: number; name: ForeignText }

/** One search over every resource that the account may see. */
export function SearchDialog({ onClose }: { onClose(): void }) {
  const { shell, form } = useTexts()
  const { many } = useRecordTexts()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const { hits, isSearching } = useHits(typed.trim())
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
      slotProps={{ paper: { 'aria-label': shell.searchEverywhere, 'aria-labelledby': undefined } }}
    >
      <Box sx={{ p: 2, minHeight: 320 }}>
        <Autocomplete
          open={typed.trim().length >= 2}
          options={hits}
          getOptionLabel={({ name }) => quote(name)}
          getOptionKey={({ resource, id }) => `${resource}${id}`}
          filterOptions={(all) => all}
          loading={isSearching}
          loadingText={form.searching}
          noOptionsText={form.nothingFound}
          disablePortal
          autoHighlight
          // The field handles Escape itself while its list is open, which is always.
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
          renderOption={({ key, ...option }, { resource, name }) => (
            <li key={key} {...option}>
              <span>
                <Foreign text={name} />
              </span>
              <Pale sx={{ ml: 'auto', pl: 2, fontSize: '0.85rem' }}>{many(resource)}</Pale>
            </li>
          )}
          clearOnBlur={false}
          inputValue={typed}
          onInputChange={(_, text, reason) => reason !== 'selectOption' && setTyped(text)}
          onChange={(_, hit) => {
            if (!hit) return
            onClose()
            navigate(pathOf(hit.resource, hit.id))
          }}
          renderInput={(params) => (
            <TextField
              {...params}
              autoFocus
              label={shell.searchEverywhere}
              placeholder={shell.searchHint}
              helperText={typed.trim().length < 2 ? shell.searchStart : ' '}
              size="medium"
            />
          )}
        />
      </Box>
    </Dialog>
  )
}

const hitsAKind = 5

function useHits(typed: string) {
  const { may } = useMe()
  const [found, setFound] = useState<{ typed: string; hits: Hit[] }>({ typed: '', hits: [] })
  useEffect(() => {
    if (typed.length < 2) return
    const aborter = new AbortController()
    const resources = registry.filter(({ name, search }) => search.length > 0 && may(name, 'VIEW'))
    const timer = setTimeout(async () => {
      const answers = await Promise.allSettled(
        resources.map(({ name, title }) =>
          ask('records.list', {
            records: name,
            query: { q: typed, limit: hitsAKind, fields: `id,${title}` },
            signal: aborter.signal,
          }),
        ),
      )
      if (aborter.signal.aborted) return
      const hits = answers.flatMap((answer, index) => {
        const resource = resources[index]?.name ?? ''
        if (answer.status === 'rejected') return []
        return answer.value.data.map((record) => ({ resource, id: record.id, name: titleOf(resource, record) }))
      })
      setFound({ typed, hits })
    }, 200)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [typed, may])
  return { hits: found.typed === typed ? found.hits : [], isSearching: found.typed !== typed }
}
