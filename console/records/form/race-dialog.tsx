import FormControlLabel from '@mui/material/FormControlLabel'
import Radio from '@mui/material/Radio'
import RadioGroup from '@mui/material/RadioGroup'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { HistoryEntry } from '#derive/console/responses.ts'
import { fieldsOf } from '#derive/form.ts'
import type { JsonObject } from '#registry/json.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Lead, MutedText, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { mergeRace, raceOf, stretch } from './race.ts'
import { RaceLines } from './race-lines-choice.tsx'
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
  const { name } = form.definition
  const { answer, error, reload } = useLoaded('records.fetch', { records: name, id })
  const { data: history } = useLoaded('records.history', { records: name, id, query: { limit: 1 } })
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const before = form.before ?? {}
  const goOn = () => {
    if (answer) onSettled(answer.data, mergeRace(before, answer.data, form.values, kept), answer.etag)
  }
  return (
    <AskFirst wide title={race.title} confirm={race.goOn} isDisabled={!answer} onConfirm={goOn} onClose={onClose}>
      <OtherValue entry={history?.[0]} />
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && <Choices form={form} stored={answer.data} kept={kept} onKeep={setKept} />}
    </AskFirst>
  )
}

function OtherValue({ entry }: { entry: HistoryEntry | undefined }) {
  const { race } = useTexts()
  const format = useFormat()
  const who = entry?.who?.name ?? entry?.token_label
  return (
    <Typography gutterBottom>{entry && who ? race.lead(who, format.moment(entry.at)) : race.leadUnknown}</Typography>
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
