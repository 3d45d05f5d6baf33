import { type FormField, formSections } from '#derive/form.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Fields, Grow } from '../../ui/layout.tsx'
import { Panel } from '../../ui/panel.tsx'
import { inputOf } from '../fields/inputs.ts'
import { ChoiceInput } from '../fields/plain-inputs.tsx'
import { Sums } from './sums.tsx'
import { type RecordForm, topField } from './use-record-form.ts'

type SchemaFormProps = {
  form: RecordForm
  /** Fields that the page sets, which have no input. */
  settled?: readonly string[]
  /** Whether to leave out panels, as in a dialog. */
  isPlain?: boolean
}

/** The form of any resource: its fields in sections, each with the input of its kind. */
export function SchemaForm({ form, settled = [], isPlain }: SchemaFormProps) {
  const texts = useTexts()
  const sections = formSections(form.definition)
    .map((section) => ({ ...section, fields: section.fields.filter(({ name }) => !settled.includes(name)) }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <>
      {sections.map(({ name, fields }) => {
        const inside = (
          <Fields sx={{ alignItems: 'start', pt: 0.5, mb: isPlain ? 2 : 0 }}>
            {fields.map((field) => (
              <SchemaInput key={field.name} form={form} field={field} />
            ))}
            {name === 'lines' && <Sums form={form} />}
          </Fields>
        )
        return isPlain ? (
          <div key={name}>{inside}</div>
        ) : (
          <Panel key={name} title={texts.sections[name]}>
            {inside}
          </Panel>
        )
      })}
    </>
  )
}

function SchemaInput({ form, field }: { form: RecordForm; field: FormField }) {
  const { name } = field
  const { label } = useRecordTexts()
  const { definition, values, problems, before } = form
  const shared = {
    field,
    path: name,
    resource: definition.name,
    label: label(definition.name, name),
    value: values[name] ?? null,
    record: values,
    problems: problems.filter((problem) => topField(problem.field) === name),
    onChange: (value: (typeof values)[string]) => form.change(name, value),
    onLeave: () => form.leave(name),
  }
  const Input = inputOf(field.kind)
  return (
    <Grow sx={{ gridColumn: isWide(field) ? '1 / -1' : undefined }}>
      {field.moves ? <ChoiceInput {...shared} from={before ? String(before[name]) : null} /> : <Input {...shared} />}
    </Grow>
  )
}

/** Returns whether a field takes the whole width. */
const isWide = ({ kind }: FormField): boolean => ['paragraph', 'lines', 'address'].includes(kind)
