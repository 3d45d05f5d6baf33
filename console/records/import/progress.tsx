import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import LinearProgress from '@mui/material/LinearProgress'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Importing } from './use-import.ts'

/** How far it is, and the way to stop. */
export function Progress({ importing }: { importing: Importing }) {
  const { imports } = useTexts()
  const format = useFormat()
  const { stage, done, chosen, isStopping } = importing
  const total = chosen?.file.rows.length ?? 0
  const share = total === 0 ? 0 : Math.floor((100 * done) / total)
  const say = stage === 'looking' ? imports.looking : imports.writing
  const said = say(format.number(done), format.number(total))
  return (
    <Paper sx={{ p: { xs: 2, sm: 3 } }}>
      <Typography sx={{ mb: 1, fontVariantNumeric: 'tabular-nums' }} aria-live="polite">
        {isStopping ? imports.stopping : said}
      </Typography>
      <LinearProgress variant="determinate" value={share} aria-label={said} />
      <Box sx={{ mt: 2 }}>
        <Button variant="outlined" disabled={isStopping} onClick={importing.stop}>
          {imports.stop}
        </Button>
      </Box>
    </Paper>
  )
}
