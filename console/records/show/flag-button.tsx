import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNotify, useRefresh } from 'react-admin'
import { fieldsOf } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import { ask } from '../../client/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import type { Row } from '../list/record-table.tsx'

/** Where a record says yes or no to something, one press says yes. */
export function FlagButton({ definition, record }: { definition: Definition; record: Row }) {
  const { name } = definition
  const texts = useTexts()
  const { label } = useRecordTexts()
  const notify = useNotify()
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  const flag = fieldsOf(definition).find(({ kind, readOnly }) => kind === 'flag' && !readOnly)
  if (!flag || record[flag.name] === true) return null
  async function turnOn(field: string): Promise<void> {
    setBusy(true)
    try {
      await ask('records.update', { records: name, id: record.id, body: { [field]: true } })
      notify(texts.form.saved, { type: 'success' })
      refresh()
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    setBusy(false)
  }
  return (
    <Button size="small" loading={isBusy} onClick={() => turnOn(flag.name)}>
      {label(name, flag.name)}
    </Button>
  )
}
