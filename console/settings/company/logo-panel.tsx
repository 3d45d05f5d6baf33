import { mdiUploadOutline } from '@mdi/js'
import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import Stack from '@mui/material/Stack'
import { styled } from '@mui/material/styles'
import { useRef } from 'react'
import { logoBytesMax, logoSideMax, pictureTypes } from '#registry/picture.ts'
import type { CompanyResult } from '../../client/answers.ts'
import { addressOf } from '../../client/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Lead, Panel } from '../../ui/panel.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'

type LogoPanelProps = { company: Pick<CompanyResult, 'logo'>; onSaved(): Promise<unknown> }

/** Chooses, shows and removes the logo of the company. */
export function LogoPanel({ company: { logo }, onSaved }: LogoPanelProps) {
  const { settings } = useTexts()
  const texts = settings.company
  const input = useRef<HTMLInputElement>(null)
  const form = useSmallForm(async ({ write, say }, picture: File | null) => {
    await (picture ? write('logo.update', { body: picture }) : write('logo.delete'))
    await onSaved()
    say(picture ? texts.logoSaved : texts.logoRemoved)
  })
  const problem = form.wrong('logo') ?? form.trouble
  return (
    <Panel title={texts.logo}>
      <Lead isNarrow>{texts.logoLead(logoBytesMax / 1024, logoSideMax)}</Lead>
      {logo && <Picture src={addressOf('logo.fetch', { query: { hash: logo } })} alt={texts.logo} />}
      {problem && (
        <Alert severity="error" sx={{ mb: 2 }}>
          {problem}
        </Alert>
      )}
      <Stack direction="row" spacing={1}>
        <Button
          variant="outlined"
          startIcon={<Icon path={mdiUploadOutline} />}
          loading={form.isBusy}
          onClick={() => input.current?.click()}
        >
          {logo ? texts.logoReplace : texts.logoChoose}
        </Button>
        {logo && (
          <Button disabled={form.isBusy} onClick={() => form.submit(null)}>
            {texts.logoRemove}
          </Button>
        )}
      </Stack>
      <input
        ref={input}
        hidden
        type="file"
        accept={pictureTypes.join()}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void form.submit(file)
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </Panel>
  )
}

/** On white, as on paper: a logo may be made for no other ground. */
const Picture = styled('img')(({ theme }) => ({
  display: 'block',
  maxWidth: '100%',
  maxHeight: 120,
  padding: theme.spacing(1),
  marginBottom: theme.spacing(2),
  background: 'white',
  border: `1px solid ${theme.vars?.palette.divider}`,
}))
