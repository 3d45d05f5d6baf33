import Box from '@mui/material/Box'
import { useTexts } from '../texts/texts.tsx'

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
