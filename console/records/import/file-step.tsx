import { mdiUploadOutline } from '@mdi/js'
import Button from '@mui/material/Button'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import { useRef } from 'react'
import { isUnfinished } from '#import/session.ts'
import type { Definition } from '#registry/definition.ts'
import type { ImportResult } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PlainList } from '../../ui/layout.tsx'
import { ListRow, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { useUndo } from '../history/history.tsx'
import { Samples } from './samples.tsx'
import type { ImportState } from './use-import.ts'

/** The choice of a file, and what was imported last. */
export function FileStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const isReading = importing.state.stage === 'reading'
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Panel title={imports.kinds}>
        <Stack direction="row" spacing={2}>
          <Button
            variant="contained"
            startIcon={<Icon path={mdiUploadOutline} />}
            loading={isReading}
            onClick={() => input.current?.click()}
          >
            {imports.choose}
          </Button>
          <input
            ref={input}
            hidden
            type="file"
            accept=".csv,.txt,.tsv,.xlsx,text/csv,text/plain"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file) void importing.open(file)
              // The same file can be chosen again.
              target.value = ''
            }}
          />
          {isReading && <Typography role="status">{imports.reading}</Typography>}
        </Stack>
      </Panel>
      {importing.state.stage === 'encoding' ? (
        <EncodingPanel importing={importing} />
      ) : (
        <Latest definition={definition} />
      )}
    </>
  )
}

/** The possible encodings of a file, each with cells as they are in it. */
function EncodingPanel({ importing }: { importing: ImportState }) {
  const { imports } = useTexts()
  return (
    <Panel title={imports.whichEncoding}>
      <Text mb={1}>{imports.whichEncodingLead}</Text>
      <PlainList aria-label={imports.whichEncoding}>
        {importing.state.candidates.map(({ encoding, samples }, place) => (
          <ListRow isTight key={encoding} title={<Samples texts={samples} />} about={imports.encodings[encoding]}>
            <Button
              variant={place === 0 ? 'contained' : 'outlined'}
              aria-label={imports.readAs(imports.encodings[encoding])}
              onClick={() => importing.readAgain({ encoding })}
            >
              {imports.isRight}
            </Button>
          </ListRow>
        ))}
      </PlainList>
    </Panel>
  )
}

function Latest({ definition: { name } }: { definition: Definition }) {
  const { imports } = useTexts()
  const { data, error, reload } = useLoaded('records.imports', { records: name })
  if (error || !data) return <PendingContent error={error} retry={reload} />
  if (data.length === 0) return null
  return (
    <Panel title={imports.latest}>
      <PlainList aria-label={imports.latest}>
        {data.map((one) => (
          <LatestRow key={one.write_id} one={one} records={name} onUndone={reload} />
        ))}
      </PlainList>
    </Panel>
  )
}

function LatestRow({ one, records, onUndone }: { one: ImportResult; records: string; onUndone(): void }) {
  const { imports, common } = useTexts()
  const { may } = useMe()
  const format = useFormat()
  const undo = useUndo()
  const { file_name: file, created, changed, done, rows, undone } = one
  const said = [
    format.moment(one.at),
    imports.latestOf(format.number(created), format.number(changed)),
    ...(isUnfinished(one) ? [imports.latestStopped(format.number(done), format.number(rows))] : []),
    ...(undone === 'all' ? [imports.latestUndone] : []),
  ]
  return (
    <ListRow isTight title={<Foreign text={file} />} about={said.join(' · ')}>
      {undone !== 'all' && created + changed > 0 && (may(records, 'EDIT') || may(records, 'DELETE')) && (
        <Button
          variant="outlined"
          size="small"
          aria-label={imports.undoOne(quote(file))}
          onClick={() => undo([one.write_id]).then(onUndone)}
        >
          {common.undo}
        </Button>
      )}
    </ListRow>
  )
}
