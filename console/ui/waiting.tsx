import Box from '@mui/material/Box'
import CircularProgress from '@mui/material/CircularProgress'
import { useEffect, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** Says that something is on its way, once that takes long enough to be noticed. */
export function Waiting({ whole = false }: { whole?: boolean }) {
  const { common } = useTexts()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 300)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Box
      role="status"
      sx={{ display: 'flex', justifyContent: 'center', alignItems: 'center', minHeight: whole ? '100vh' : 160 }}
    >
      {isLong && <CircularProgress aria-label={common.loading} />}
    </Box>
  )
}
