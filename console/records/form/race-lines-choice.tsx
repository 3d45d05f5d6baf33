import Box from '@mui/material/Box'
import FormControlLabel from '@mui/material/FormControlLabel'
import Radio from '@mui/material/Radio'
import RadioGroup from '@mui/material/RadioGroup'
import Typography from '@mui/material/Typography'
import { type ReactNode, useId } from 'react'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { BetweenRow, Grow, Unbroken } from '../../ui/layout.tsx'
import { MutedText } from '../../ui/panel.tsx'
import { amountOf } from '../fields/field-value.tsx'
import type { LineRegion } from './race-lines.ts'

type RaceLinesProps = {
  label: string
  regions: readonly LineRegion[]
  /** Whether the other's lines are kept in a region with a conflict. */
  isTheirs(region: number): boolean
  onChoose(region: number, theirs: boolean): void
}

/** Shows the merged lines of two people: their changes with prices, and a choice at each conflict. */
export function RaceLines({ label, regions, isTheirs, onChoose }: RaceLinesProps) {
  const { race } = useTexts()
  const id = useId()
  return (
    <Typography component="section" aria-labelledby={id} gutterBottom>
      <Typography id={id} variant="h3">
        {label}
      </Typography>
      <MutedText mb={1}>{race.lines.both}</MutedText>
      {regions.map((region, index) =>
        region.is === 'conflict' ? (
          <Conflict
            key={index}
            region={region}
            theirs={isTheirs(index)}
            onChoose={(theirs) => onChoose(index, theirs)}
          />
        ) : (
          <Region key={index} tone={region.is === 'same' ? undefined : 'primary'}>
            <Typography component="div" variant="subtitle2">
              {race.lines[region.is]}
            </Typography>
            <LineList lines={region.lines} />
          </Region>
        ),
      )}
    </Typography>
  )
}

type ConflictProps = { region: LineRegion & { is: 'conflict' }; theirs: boolean; onChoose(theirs: boolean): void }

function Conflict({ region, theirs, onChoose }: ConflictProps) {
  const { race } = useTexts()
  const id = useId()
  return (
    <Region tone="warning">
      <div id={id}>
        <MutedText component="div">{race.was}</MutedText>
        <LineList lines={region.was} />
      </div>
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
              <Grow sx={{ pt: 1 }}>
                <strong>{race[side]}</strong>
                <LineList lines={region[side]} />
              </Grow>
            }
          />
        ))}
      </RadioGroup>
    </Region>
  )
}

/** Lists lines with quantity, price and amount, as text that wraps on a phone. */
function LineList({ lines }: { lines: readonly JsonObject[] }) {
  const { race } = useTexts()
  const format = useFormat()
  const { currency } = useMe().company
  if (lines.length === 0) return <em>{race.lines.none}</em>
  return lines.map((line, index) => {
    const amount = amountOf(line)
    const price = Number.isSafeInteger(line.unit_price_minor)
      ? format.money(line.unit_price_minor as number, currency)
      : String(line.unit_price_minor ?? '–')
    const quantity = typeof line.quantity === 'number' ? format.number(line.quantity) : String(line.quantity ?? '–')
    return (
      <BetweenRow key={index} as="span" sx={{ gap: 2, color: 'text.primary' }}>
        <span>
          {String(line.description ?? '–')} · {quantity} {line.unit === null ? '' : String(line.unit)} × {price}
        </span>
        <Unbroken>{amount === undefined ? '–' : format.money(amount, currency)}</Unbroken>
      </BetweenRow>
    )
  })
}

type RegionProps = { tone: 'primary' | 'warning' | undefined; children: ReactNode }

/** Shows a region of lines. A bar beside it marks a change or a conflict. */
const Region = ({ tone, children }: RegionProps) => (
  <Box
    sx={
      tone
        ? { borderLeft: 3, borderColor: `${tone}.main`, pl: 1.5, py: 0.5, my: 0.5 }
        : { py: 0.5, color: 'text.secondary' }
    }
  >
    {children}
  </Box>
)
