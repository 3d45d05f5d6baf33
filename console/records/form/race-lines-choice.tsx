import Box from '@mui/material/Box'
import FormControlLabel from '@mui/material/FormControlLabel'
import Radio from '@mui/material/Radio'
import RadioGroup from '@mui/material/RadioGroup'
import Typography from '@mui/material/Typography'
import { useId } from 'react'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Muted } from '../../ui/panel.tsx'
import { amountOf } from '../fields/line-amount.ts'
import type { LineRegion } from './race-lines.ts'

type RaceLinesProps = {
  label: string
  regions: readonly LineRegion[]
  /** Of the regions that collide, those where theirs is kept. */
  isTheirs(region: number): boolean
  onChoose(region: number, theirs: boolean): void
}

/** Lines that two people changed, put together as they will be: who changed what, with prices, and a choice where it collides. */
export function RaceLines({ label, regions, isTheirs, onChoose }: RaceLinesProps) {
  const { race } = useTexts()
  const id = useId()
  return (
    <Box component="section" aria-labelledby={id} sx={{ mb: 2 }}>
      <Typography id={id} variant="h3">
        {label}
      </Typography>
      <Muted sx={{ mb: 1 }}>{race.lines.both}</Muted>
      {regions.map((region, index) =>
        region.is === 'conflict' ? (
          <Conflict
            key={index}
            region={region}
            theirs={isTheirs(index)}
            onChoose={(theirs) => onChoose(index, theirs)}
          />
        ) : (
          <Box key={index} sx={region.is === 'same' ? { py: 0.5, color: 'text.secondary' } : changedLook}>
            <Typography component="div" variant="body2" sx={{ fontWeight: 600 }}>
              {race.lines[region.is]}
            </Typography>
            <LineList lines={region.lines} />
          </Box>
        ),
      )}
    </Box>
  )
}

type ConflictProps = { region: LineRegion & { is: 'conflict' }; theirs: boolean; onChoose(theirs: boolean): void }

function Conflict({ region, theirs, onChoose }: ConflictProps) {
  const { race } = useTexts()
  const id = useId()
  return (
    <Box sx={{ ...changedLook, borderColor: 'warning.main' }}>
      <Box id={id}>
        <Muted component="div">{race.was}</Muted>
        <LineList lines={region.was} />
      </Box>
      <RadioGroup
        aria-labelledby={id}
        value={theirs ? 'theirs' : 'mine'}
        onChange={(_, value) => onChoose(value === 'theirs')}
      >
        {(['mine', 'theirs'] as const).map((side) => (
          <FormControlLabel
            key={side}
            value={side}
            control={<Radio size="small" sx={{ alignSelf: 'start' }} />}
            disableTypography
            sx={{ alignItems: 'start', mr: 0 }}
            label={
              <Box sx={{ pt: 1, minWidth: 0, flex: 1 }}>
                <Box component="span" sx={{ fontWeight: 600 }}>
                  {race[side]}
                </Box>
                <LineList lines={region[side]} />
              </Box>
            }
          />
        ))}
      </RadioGroup>
    </Box>
  )
}

/** Each line with its quantity, price and amount, in words that wrap on a phone. */
function LineList({ lines }: { lines: readonly JsonObject[] }) {
  const { race } = useTexts()
  const format = useFormat()
  const { currency } = useMe().company
  if (lines.length === 0) return <Box component="em">{race.lines.none}</Box>
  return lines.map((line, index) => {
    const amount = amountOf(line)
    const price = Number.isSafeInteger(line.unit_price_minor)
      ? format.money(line.unit_price_minor as number, currency)
      : String(line.unit_price_minor ?? '–')
    const quantity = typeof line.quantity === 'number' ? format.number(line.quantity) : String(line.quantity ?? '–')
    return (
      <Box key={index} component="span" sx={lineLook}>
        <Box component="span" sx={{ overflowWrap: 'anywhere' }}>
          {String(line.description ?? '–')} · {quantity} {line.unit === null ? '' : String(line.unit)} × {price}
        </Box>
        <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
          {amount === undefined ? '–' : format.money(amount, currency)}
        </Box>
      </Box>
    )
  })
}

const lineLook = { display: 'flex', justifyContent: 'space-between', gap: 2, color: 'text.primary' } as const
const changedLook = { borderLeft: 3, borderColor: 'primary.main', pl: 1.5, py: 0.5, my: 0.5 } as const
