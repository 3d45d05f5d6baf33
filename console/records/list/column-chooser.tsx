import ViewColumn from '@mui/icons-material/ViewColumnOutlined'
import Button from '@mui/material/Button'
import Checkbox from '@mui/material/Checkbox'
import Divider from '@mui/material/Divider'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { useState } from 'react'
import type { Column } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'

type ColumnChooserProps = {
  definition: Definition
  all: readonly Column[]
  shown: readonly Column[]
  isUsual: boolean
  onChoose(names: string[] | null): void
}

/** Chooses the columns of a list. */
export function ColumnChooser({ definition, all, shown, isUsual, onChoose }: ColumnChooserProps) {
  const { list } = useTexts()
  const { label } = useRecordTexts()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const names = shown.map(({ name }) => name)
  const toggle = (name: string) =>
    onChoose(names.includes(name) ? names.filter((other) => other !== name) : [...names, name])
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<ViewColumn />}
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
        <MenuItem disabled={isUsual} onClick={() => onChoose(null)}>
          {list.resetColumns}
        </MenuItem>
      </Menu>
    </>
  )
}
