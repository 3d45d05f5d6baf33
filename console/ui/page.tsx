import Box from '@mui/material/Box'
import Breadcrumbs from '@mui/material/Breadcrumbs'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Lead } from './panel.tsx'
import { TextLink } from './text-link.tsx'

type PageProps = {
  title: string
  /** The page above this one. */
  above?: { label: string; to: string }
  beside?: ReactNode
  actions?: ReactNode
  lead?: string
  children: ReactNode
}

/** One page with its heading, its actions and its content. */
export function Page({ title, above, beside, actions, lead, children }: PageProps) {
  const { shell } = useTexts()
  useEffect(() => {
    document.title = `${title} · ${shell.product}`
  }, [title, shell.product])
  return (
    <Box sx={{ width: '100%', maxWidth: 1440, mx: 'auto' }}>
      {above && (
        <Breadcrumbs sx={{ mb: 0.5, fontSize: '0.875rem' }}>
          <TextLink to={above.to}>{above.label}</TextLink>
        </Breadcrumbs>
      )}
      <Stack direction="row" spacing={1.5} sx={{ mb: lead ? 0.5 : 2, minHeight: 40 }}>
        <Typography variant="h1">{title}</Typography>
        {beside}
        <Stack direction="row" spacing={1} sx={{ ml: 'auto' }}>
          {actions}
        </Stack>
      </Stack>
      {lead && <Lead isNarrow>{lead}</Lead>}
      {children}
    </Box>
  )
}

/** The plumb bob and the name. */
export function Brand() {
  const { shell } = useTexts()
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25, fontWeight: 700, fontSize: '1.1rem' }}>
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#1f5f5b" />
        <path d="M16 4v10" stroke="#fff" strokeWidth="2" />
        <path d="M11 14h10v5l-5 9-5-9z" fill="#f0b429" />
      </svg>
      {shell.product}
    </Box>
  )
}
