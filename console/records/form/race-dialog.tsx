import Box from '@mui/material/Box'
import FormControlLabel from '@mui/material/FormControlLabel'
import Radio from '@mui/material/Radio'
import RadioGroup from '@mui/material/RadioGroup'
import Typography from '@mui/material/Typography'
import { type ReactNode, useId, useState } from 'react'
import { fieldsOf } from '#derive/form.ts'
import type { JsonObject } from '#registry/json.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { BetweenRow, Grow, Unbroken } from '../../ui/layout.tsx'
import { Lead, MutedText, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { amountOf, FieldValue } from '../fields/field-value.tsx'
import { type LineRegion, mergeRace, raceOf, stretch } from './race-lines.ts'
import type { RecordForm } from './use-record-form.ts'

type RaceDialogProps = {
  form: RecordForm
  id: string
  onClose(): void
  onSettled(stored: JsonObject, values: JsonObject, etag: string | null): void
}

/** Shows the changes of somebody who saved first, beside the typed values. */
export function RaceDialog({ form, id, onClose, onSettled }: RaceDialogProps) {
  const { race } = useTexts()
  const format = useFormat()
  const { name } = form.definition
  const { answer, error, reload } = useLoaded('records.fetch', { records: name, id })
  const { data: [entry] = [] } = useLoaded('records.history', { records: name, id, query: { limit: 1 } })
  const who = entry?.who?.name ?? entry?.token_label
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const before = form.before ?? {}
  const goOn = () => {
    if (answer) onSettled(answer.data, mergeRace(before, answer.data, form.values, kept), answer.etag)
  }
  return (
    <AskFirst wide title={race.title} confirm={race.goOn} isDisabled={!answer} onConfirm={goOn} onClose={onClose}>
      <Typography gutterBottom>
        {entry && who ? race.lead(quote(who), format.moment(entry.at)) : race.leadUnknown}
      </Typography>
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && <Choices form={form} stored={answer.data} kept={kept} onKeep={setKept} />}
    </AskFirst>
  )
}

type ChoicesProps = {
  form: RecordForm
  stored: JsonObject
  kept: ReadonlySet<string>
  onKeep(kept: ReadonlySet<string>): void
}

function Choices({ form, stored, kept, onKeep }: ChoicesProps) {
  const { race } = useTexts()
  const { label } = useRecordTexts()
  const { definition, values } = form
  const before = form.before ?? {}
  const { theirs, both, lines } = raceOf(before, stored, values)
  const collides = both.some((name) => lines[name]?.some(({ is }) => is === 'conflict') ?? true)
  const fields = fieldsOf(definition).filter(({ readOnly }) => !readOnly)
  const shown = (name: string, record: JsonObject) => {
    const field = fields.find((candidate) => candidate.name === name)
    return field && <FieldValue isShort field={field} resource={definition.name} value={record[name]} />
  }
  const isTheirs = (name: string, yes: boolean) => {
    const next = new Set(kept)
    if (yes) next.add(name)
    else next.delete(name)
    onKeep(next)
  }
  return (
    <>
      <Lead mb={1}>{collides ? race.choose : race.noConflict}</Lead>
      {fields
        .filter(({ name }) => lines[name])
        .map(({ name }) => (
          <RaceLines
            key={name}
            label={label(definition.name, name)}
            regions={lines[name] ?? []}
            isTheirs={(region) => kept.has(stretch(name, region))}
            onChoose={(region, yes) => isTheirs(stretch(name, region), yes)}
          />
        ))}
      {fields
        .filter(({ name }) => both.includes(name) && !lines[name])
        .map(({ name }) => (
          <Text key={name} component="div" mb={1.5}>
            <Typography id={`race-${name}`} variant="h3">
              {label(definition.name, name)}
            </Typography>
            <MutedText>
              {race.was}: {shown(name, before)}
            </MutedText>
            <RadioGroup
              aria-labelledby={`race-${name}`}
              value={kept.has(name) ? 'theirs' : 'mine'}
              onChange={(_, value) => isTheirs(name, value === 'theirs')}
            >
              {(['mine', 'theirs'] as const).map((side) => (
                <FormControlLabel
                  key={side}
                  value={side}
                  control={<Radio size="small" />}
                  label={
                    <>
                      {race[side]}: {shown(name, side === 'mine' ? values : stored)}
                    </>
                  }
                />
              ))}
            </RadioGroup>
          </Text>
        ))}
      {fields
        .filter(({ name }) => theirs.includes(name))
        .map(({ name }) => (
          <Text key={name} variant="body2" mb={0.5}>
            <strong>{label(definition.name, name)}</strong> · {race.was}: {shown(name, before)} · {race.theirs}:{' '}
            {shown(name, stored)}
          </Text>
        ))}
    </>
  )
}

type RaceLinesProps = {
  label: string
  regions: readonly LineRegion[]
  /** Whether the other's lines are kept in a region with a conflict. */
  isTheirs(region: number): boolean
  onChoose(region: number, theirs: boolean): void
}

/** Shows the merged lines of two people: their changes with prices, and a choice at each conflict. */
function RaceLines({ label, regions, isTheirs, onChoose }: RaceLinesProps) {
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
          <Foreign text={line.description as string | null} /> · <Foreign text={quantity} />{' '}
          {line.unit !== null && <Foreign text={String(line.unit)} />} × <Foreign text={price} />
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
