import { isObject, type JsonObject } from '#registry/json.ts'
import { useRecordTexts } from '../../texts/texts.tsx'
import { Bare, Fields } from '../../ui/layout.tsx'
import { MutedText } from '../../ui/panel.tsx'
import { inputId, type MembersInputProps } from './input.ts'

/** The input of an address: an input for each member. */
export function AddressInput(props: MembersInputProps) {
  const { field, label, value, path, onChange } = props
  const { label: labelOf } = useRecordTexts()
  const address: JsonObject = isObject(value) ? value : {}
  return (
    <Bare id={inputId(path)} sx={{ gridColumn: '1 / -1' }}>
      <MutedText component="legend" mb={1}>
        {label}
      </MutedText>
      <Fields>
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
      </Fields>
    </Bare>
  )
}

/** Returns the whole address with a changed member, or null if every member is empty. */
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
