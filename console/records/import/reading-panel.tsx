import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import { delimiters, encodings } from '#derive/import/file.ts'
import { dateOrders, decimalSigns } from '#derive/import/values.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Tiles } from '../../ui/layout.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Select } from '../../ui/small-form.tsx'
import type { ImportState } from './use-import.ts'

/** How the file is read: found out, and changed where that was wrong. */
export function ReadingPanel({ importing }: { importing: ImportState }) {
  const { imports } = useTexts()
  const { chosen, settings } = importing
  if (!chosen || !settings) return null
  const { reading } = chosen.file
  return (
    <Panel title={imports.file}>
      <Tiles width={160}>
        <Select
          label={imports.separator}
          value={reading.delimiter}
          options={delimiters.map((value) => ({ value, text: imports.separators[value] ?? value }))}
          onChange={(delimiter) => importing.readAgain({ ...reading, delimiter })}
        />
        <Select
          label={imports.encoding}
          value={reading.encoding}
          options={encodings.map((value) => ({ value, text: value === 'utf-8' ? 'UTF-8' : 'Windows-1252' }))}
          onChange={(encoding) => importing.readAgain({ ...reading, encoding })}
        />
        <Select
          label={imports.decimal}
          value={settings.decimal}
          options={decimalSigns.map((value) => ({ value, text: imports.decimals[value] }))}
          onChange={(decimal) => importing.decide({ ...settings, decimal })}
        />
        <Select
          label={imports.dates}
          value={settings.dates}
          options={dateOrders.map((value) => ({ value, text: imports.dateOrders[value] }))}
          onChange={(dates) => importing.decide({ ...settings, dates })}
        />
      </Tiles>
      <FormControlLabel
        sx={{ mt: 1 }}
        control={<Checkbox checked={reading.noHeader} />}
        label={imports.noHeader}
        onChange={(_, noHeader) => importing.readAgain({ ...reading, noHeader })}
      />
    </Panel>
  )
}
