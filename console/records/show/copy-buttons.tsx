import { mdiContentCopy } from '@mdi/js'
import Button from '@mui/material/Button'
import { useNavigate, useNotify } from 'ra-core'
import { type CopyAction, canBeCopied, copyActionsOf, copyOf } from '#derive/form/copy.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { ask } from '../../client/ask.ts'
import { createPath } from '../../shell/places.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { CreateState } from '../form/create-page.tsx'
import type { ListedRecord } from '../list/records.tsx'

type CopyButtonsProps = { definition: Definition; record: ListedRecord }

/** The buttons that open a form with the values of a record: alone, and with a change of the record itself. */
export function CopyButtons({ definition, record }: CopyButtonsProps) {
  const { name } = definition
  const texts = useTexts()
  const { action } = useRecordTexts()
  const navigate = useNavigate()
  const notify = useNotify()
  const shown = record as JsonObject
  const open = (state: CreateState) => navigate(createPath(name), { state })

  async function begin({ sets, copy }: CopyAction): Promise<void> {
    try {
      const { data, etag } = await ask('records.fetch', { records: name, id: record.id })
      const given = { ...copyOf(definition, data), [copy]: Number(record.id) }
      open({ given, first: { op: 'update', id: Number(record.id), if_match: etag, body: sets } })
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
  }

  return (
    <>
      {copyActionsOf(definition, shown).map((one) => (
        <Button key={one.name} variant="outlined" onClick={() => begin(one)}>
          {action(name, one.name)}
        </Button>
      ))}
      {canBeCopied(definition, shown) && (
        <Button
          variant="outlined"
          startIcon={<Icon path={mdiContentCopy} />}
          onClick={() => open({ given: copyOf(definition, shown) })}
        >
          {texts.common.copyRecord}
        </Button>
      )}
    </>
  )
}
