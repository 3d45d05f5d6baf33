import { mdiRefresh } from '@mdi/js'
import Chip from '@mui/material/Chip'
import IconButton from '@mui/material/IconButton'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { RowStack, Tiles } from '../ui/layout.tsx'
import { MutedText } from '../ui/panel.tsx'
import { SmallField } from '../ui/small-form.tsx'

type LogFiltersProps = {
  idPrefix: string
  width: number
  mb: number
  labels: { fromDay: string; toDay: string; dayHint: string }
  values: { readonly [name: string]: string | undefined }
  /** The members of the filter that are shown only while they have a value, with the text of each. */
  chips: readonly { name: string; label: string }[]
  /** The inputs of the other members. */
  children: ReactNode
  /** Called with another value of a member. The empty text removes it. */
  onSet(name: string, value: string): void
  onReload(): void
}

/** The filters of a log: its own inputs, the first and the last day, and a chip for each condition without an input. */
export function LogFilters(props: LogFiltersProps) {
  const { idPrefix, width, mb, labels, values, chips, children, onSet, onReload } = props
  const { common } = useTexts()
  return (
    <Tiles isKept width={width} gap={1.5} mb={mb}>
      {children}
      {(['from', 'to'] as const).map((name) => (
        <SmallField
          key={name}
          id={`${idPrefix}-${name}`}
          type="date"
          label={labels[`${name}Day`]}
          value={values[name] ?? ''}
          onType={(day) => onSet(name, day)}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      ))}
      <IconButton aria-label={common.retry} onClick={() => onReload()} sx={{ justifySelf: 'start' }}>
        <Icon path={mdiRefresh} />
      </IconButton>
      <RowStack isWhole spacing={1}>
        {chips
          .filter(({ name }) => values[name] !== undefined)
          .map(({ name, label }) => (
            <Chip key={name} size="medium" variant="filled" label={label} onDelete={() => onSet(name, '')} />
          ))}
        <MutedText>{labels.dayHint}</MutedText>
      </RowStack>
    </Tiles>
  )
}
