import { mdiCheck, mdiDownloadOutline } from '@mdi/js'
import Button, { type ButtonProps } from '@mui/material/Button'
import Divider from '@mui/material/Divider'
import ListItemIcon from '@mui/material/ListItemIcon'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { useStore } from 'ra-core'
import { useState } from 'react'
import { exportDelimiters } from '#derive/import/file.ts'
import type { Definition } from '#registry/definition.ts'
import { addDays } from '#registry/fields/day.ts'
import { decimalSignOf } from '#registry/fields/numeral.ts'
import { addressOf } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { useLanguage, useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'

type ExportMenuProps = {
  definition: Definition
  /** The parameters of the list that is exported. */
  query: { readonly [name: string]: unknown }
  text: string
  button?: Pick<ButtonProps, 'size' | 'variant'>
}

/** Exports a list in a form, with a separator that the browser remembers, or its weeks with sums. */
export function ExportMenu({ definition: { name, sheet }, query, text, button }: ExportMenuProps) {
  const { list, locale } = useTexts()
  const { label } = useRecordTexts()
  const [language] = useLanguage()
  const [delimiter, choose] = useStore<string>('export.delimiter', decimalSignOf(locale) === ',' ? ';' : ',')
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = () => setAnchor(null)
  const forPeople = { ...query, form: 'people', language, delimiter }
  const { today } = useMe()
  const files = [
    { text: list.exportForPeople, query: forPeople },
    { text: list.exportForPrograms, query: { ...query, form: 'programs' } },
    ...(sheet
      ? [0, 1].map((weeks) => ({
          text: list.exportWeek(label(name, sheet.row), weeks),
          query: { ...forPeople, week: addDays(today(), -7 * weeks) },
        }))
      : []),
  ]
  return (
    <>
      <Button
        {...button}
        startIcon={<Icon path={mdiDownloadOutline} />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        {text}
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ paper: { component: 'section', 'aria-label': text } as object }}
      >
        {files.map((file) => (
          <MenuItem
            key={file.text}
            component="a"
            href={addressOf('records.export', { records: name, query: file.query })}
            download
            onClick={close}
            sx={{ whiteSpace: 'normal' }}
          >
            {file.text}
          </MenuItem>
        ))}
        <Divider />
        {exportDelimiters.map((one) => (
          <MenuItem key={one} dense role="menuitemradio" aria-checked={one === delimiter} onClick={() => choose(one)}>
            <ListItemIcon>{one === delimiter && <Icon path={mdiCheck} fontSize="small" />}</ListItemIcon>
            {list.exportDelimiters[one]}
          </MenuItem>
        ))}
      </Menu>
    </>
  )
}
