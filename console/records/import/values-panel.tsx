import Box from '@mui/material/Box'
import Typography from '@mui/material/Typography'
import { type UnknownWord, unknownWords, type Word, withWord, wordListOf } from '#derive/import/words.ts'
import type { Definition } from '#registry/definition.ts'
import { choiceOf, referenceOf } from '#registry/fields/index.ts'
import { countries } from '#registry/iso-codes.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Grow, PlainList, Tiles } from '../../ui/layout.tsx'
import { MutedText, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { Select } from '../../ui/small-form.tsx'
import type { ImportState } from './use-import.ts'

/** The words of the file that nothing has, each decided once for all of its rows. */
export function ValuesPanel({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const { settings, file, rows } = importing.state
  const words = unknownWords(definition, settings, file.columns, file.rows, rows)
  if (words.length === 0) return null
  return (
    <Panel title={imports.values}>
      <Text mb={1}>{imports.valuesLead}</Text>
      <PlainList aria-label={imports.values}>
        {words.slice(0, shownMax).map((unknown) => {
          const { column, text, field } = unknown
          const shown = {
            unknown,
            definition,
            choose: (word: Word | undefined) =>
              importing.choose({ words: withWord(settings.words, column, text, word) }),
          }
          const key = `${column} ${text}`
          return referenceOf(field) ? <ListedWord key={key} {...shown} /> : <WordRow key={key} {...shown} words={[]} />
        })}
      </PlainList>
      {words.length > shownMax && <MutedText mt={1}>{imports.moreWords(words.length - shownMax)}</MutedText>}
    </Panel>
  )
}

/** Most words that are shown: more of them are a column that is for another field. */
const shownMax = 50

type WordProps = { unknown: UnknownWord; definition: Definition; choose(word: Word | undefined): void }

/** A word of a reference, with the names of the records that it can be. */
function ListedWord(props: WordProps) {
  const { field } = props.unknown
  const { to = '', only } = referenceOf(field) ?? {}
  const title = wordListOf(field)?.title ?? 'name'
  const query = { limit: wordsMax, sort: title, fields: `id,${title}`, ...(only && { [only.column]: only.value }) }
  const { data, error, reload } = useLoaded('records.list', { records: to, query })
  if (error || !data) return <PendingContent error={error} retry={reload} />
  return <WordRow {...props} words={data.map((record) => String(record[title]))} />
}

const wordsMax = 100

/** The values of the select. A text of a person cannot be one of the others, since it has a sign before it. */
const codeOf = (word: Word | undefined): string => (word === undefined ? '' : word === true ? 'new' : `=${word}`)
const wordOf = (code: string): Word | undefined => (code === '' ? undefined : code === 'new' ? true : code.slice(1))

function WordRow({ unknown, definition, words, choose }: WordProps & { words: readonly string[] }) {
  const { imports } = useTexts()
  const { value, path: labelOf } = useRecordTexts()
  const { may } = useMe()
  const format = useFormat()
  const { column, path, field, text, count, word } = unknown
  const list = wordListOf(field)
  const codes =
    field.kind === 'country' ? countries.map((code) => ({ value: `=${code}`, text: format.country(code) })) : []
  const options = [
    { value: '', text: imports.wordOpen },
    ...(field.required ? [] : [{ value: '=', text: imports.wordEmpty }]),
    ...(list && may(list.name, 'EDIT') ? [{ value: 'new', text: imports.wordNew(quote(text, 80)) }] : []),
    ...(choiceOf(field)?.values ?? []).map((one) => ({ value: `=${one}`, text: value(definition.name, one) })),
    ...codes.toSorted((one, other) => one.text.localeCompare(other.text)),
    ...words.map((one) => ({ value: `=${one}`, text: quote(one, 80) })),
  ]
  const code = codeOf(word)
  const known = options.some((one) => one.value === code) ? [] : [{ value: code, text: quote(wordOf(code) as string) }]
  return (
    <Tiles component="li" width={260} sx={{ alignItems: 'center', py: 1, borderBottom: 1, borderColor: 'divider' }}>
      <Grow>
        <Typography variant="subtitle1">
          <Foreign text={text} max={80} />
        </Typography>
        <MutedText>
          <Foreign text={column} /> · {imports.rows(count)}
        </MutedText>
      </Grow>
      <Box>
        <Select
          fullWidth
          label={imports.wordOf(labelOf(definition.name, path), quote(text, 40))}
          value={code}
          options={[...options, ...known]}
          onChange={(chosen) => choose(wordOf(chosen))}
        />
      </Box>
    </Tiles>
  )
}
