import Box from '@mui/material/Box'
import { type FormField, formSections } from '#derive/form.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { inputOf } from '../fields/inputs.ts'
import { ChoiceInput } from '../fields/plain-inputs.tsx'
import { Sums } from './sums.tsx'
import { type RecordForm, topField } from './use-record-form.ts'

type SchemaFormProps = {
  form: RecordForm
  /** Fields that are settled by where the form is, and not asked for. */
  settled?: readonly string[]
  /** In a dialog: without panels. */
  isPlain?: boolean
}

/** The form of any kind of record: its fields in sections, each with the input of its kind. */
export function SchemaForm({ form, settled = [], isPlain }: SchemaFormProps) {
  const texts = useTexts()
  const sections = formSections(form.definition)
    .map((section) => ({ ...section, fields: section.fields.filter(({ name }) => !settled.includes(name)) }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <>
      {sections.map(({ name, fields }) => {
        const inside = (
          <Box sx={isPlain ? { ...gridLook, mb: 2 } : gridLook}>
            {fields.map((field) => (
              <SchemaInput key={field.name} form={form} field={field} />
            ))}
            {name === 'lines' && <Sums form={form} />}
          </Box>
        )
        return isPlain ? (
          <Box key={name}>{inside}</Box>
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
    <Box
      sx={
        field.kind === 'paragraph' || field.kind === 'lines' || field.kind === 'address'
          ? { gridColumn: '1 / -1' }
          : { minWidth: 0 }
      }
    >
      {field.moves ? <ChoiceInput {...shared} from={before ? String(before[name]) : null} /> : <Input {...shared} />}
    </Box>
  )
}

const gridLook = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr', lg: '1fr 1fr 1fr' },
  alignItems: 'start',
  pt: 0.5,
} as const
