import { useNotify } from 'react-admin'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { ProblemList } from './save-form.tsx'
import { SchemaForm } from './schema-form.tsx'
import { useRecordForm } from './use-record-form.ts'
import { useSave } from './use-save.ts'

type FormDialogProps = {
  definition: Definition
  /** The values that the page sets, such as the project of a task. */
  given: JsonObject
  onClose(): void
}

/** Creates a record for the record of the page, without leaving that page. */
export function FormDialog({ definition, given, onClose }: FormDialogProps) {
  const texts = useTexts()
  const { add, one } = useRecordTexts()
  const notify = useNotify()
  const form = useRecordForm(definition, null, given)
  const { save, isBusy } = useSave({
    form,
    id: null,
    onSaved: () => {
      notify(texts.form.created(one(definition.name)), { type: 'success' })
      onClose()
    },
  })
  return (
    <AskFirst
      wide
      isDirty={form.isDirty}
      title={add(definition.name)}
      confirm={texts.common.create}
      isBusy={isBusy}
      onConfirm={save}
      onClose={onClose}
    >
      <SchemaForm isPlain form={form} settled={Object.keys(given)} />
      <ProblemList resource={definition.name} problems={form.problems} />
    </AskFirst>
  )
}
