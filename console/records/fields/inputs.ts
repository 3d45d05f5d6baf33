import { type ComponentType, createElement } from 'react'
import type { Field } from '#registry/fields/index.ts'
import { AddressInput } from './address-input.tsx'
import { ChoiceInput } from './choice-input.tsx'
import { CountryInput } from './country-input.tsx'
import { DateInput } from './date-input.tsx'
import { FlagInput } from './flag-input.tsx'
import type { InputProps, MembersInputProps } from './input.ts'
import { LinesInput } from './lines-input.tsx'
import { MoneyInput } from './money-input.tsx'
import { NumberInput } from './number-input.tsx'
import { ParagraphInput } from './paragraph-input.tsx'
import { ReferenceInput } from './reference-input.tsx'
import { TextInput } from './text-input.tsx'

/** Is handed the inputs of its members, because it cannot import the list that it is in. */
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
