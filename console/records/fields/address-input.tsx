import Box from '@mui/material/Box'
import { isObject, type JsonObject } from '#registry/json.ts'
import { useRecordTexts } from '../../texts/texts.tsx'
import { Muted } from '../../ui/panel.tsx'
import { inputId, type MembersInputProps } from './input.ts'

/** An address: its members, each with the input of its own kind. */
export function AddressInput(props: MembersInputProps) {
  const { field, label, value, path, onChange } = props
  const { label: labelOf } = useRecordTexts()
  const address: JsonObject = isObject(value) ? value : {}
  return (
    <Box component="fieldset" id={inputId(path)} sx={{ border: 0, p: 0, m: 0, minWidth: 0, gridColumn: '1 / -1' }}>
      <Muted component="legend" sx={{ mb: 1, p: 0 }}>
        {label}
      </Muted>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr', lg: '1fr 1fr 1fr' } }}>
        {field.members?.map((member) => {
          const Input = props.inputOf(member.kind)
          return (
            <Input
              key={member.name}
              {...props}
              field={member}
              path={`${path}.${member.name}`}
              label={labelOf('address', member.name)}
              value={address[member.name] ?? null}
              onChange={(changed) => onChange(withMember(field.members ?? [], address, member.name, changed))}
            />
          )
        })}
      </Box>
    </Box>
  )
}

/** Whole, and nothing at all once every member is empty. */
function withMember(
  members: readonly { name: string }[],
  address: JsonObject,
  name: string,
  changed: JsonObject[string],
) {
  const whole: JsonObject = Object.fromEntries(
    members.map((member) => [member.name, member.name === name ? changed : (address[member.name] ?? null)]),
  )
  return Object.values(whole).some((member) => member !== null) ? whole : null
}
