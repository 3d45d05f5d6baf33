import { type ComponentType, createElement } from 'react'
import type { Field } from '#registry/fields/index.ts'
import { AddressInput } from './address-input.tsx'
import type { InputProps, MembersInputProps } from './input.ts'
import { LinesInput } from './lines-input.tsx'
import {
  ChoiceInput,
  CountryInput,
  DateInput,
  FlagInput,
  MoneyInput,
  NumberInput,
  ParagraphInput,
  TextInput,
} from './plain-inputs.tsx'
import { ReferenceInput } from './reference-input.tsx'

/** Passes the inputs of the members to an input, because it cannot import this list. */
function withMembers(Input: ComponentType<MembersInputProps>): ComponentType<InputProps> {
  return (props) => createElement(Input, { ...props, inputOf })
}

/** The input of every kind of field. A new kind is one more line here. */
const inputs: { readonly [kind in Field['kind']]: ComponentType<InputProps> } = {
  address: withMembers(AddressInput),
  choice: ChoiceInput,
  country: CountryInput,
  date: DateInput,
  decimal: NumberInput,
  email: TextInput,
  flag: FlagInput,
  id: NumberInput,
  instant: TextInput,
  integer: NumberInput,
  lines: withMembers(LinesInput),
  money: MoneyInput,
  paragraph: ParagraphInput,
  phone: TextInput,
  reference: ReferenceInput,
  text: TextInput,
  url: TextInput,
}

export const inputOf = (kind: Field['kind']): ComponentType<InputProps> => inputs[kind]
