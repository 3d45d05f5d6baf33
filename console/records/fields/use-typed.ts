import { type ChangeEvent, useState } from 'react'
import type { Json } from '#registry/json.ts'
import { type InputProps, useTextField } from './input.ts'

/**
 * The properties of a text field in which a number is typed. What cannot be read stays as it was typed, so the check says
 * what is wrong with it and nothing is lost.
 */
export function useTypedField(
  props: InputProps,
  write: (value: number) => string,
  read: (typed: string) => number | undefined,
) {
  const { value, onChange, onLeave } = props
  const [typed, setTyped] = useState<string | null>(null)
  const means = (text: string): Json => (text.trim() === '' ? null : (read(text) ?? text))
  const written = value === null || value === undefined ? '' : typeof value === 'number' ? write(value) : String(value)
  // The value may also change from outside, by a reset or by somebody else's edit.
  const isOwn = typed !== null && means(typed) === (value ?? null)
  return {
    ...useTextField(props),
    value: isOwn ? typed : written,
    autoComplete: 'off',
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setTyped(target.value)
      onChange(means(target.value))
    },
    onBlur: () => {
      setTyped(null)
      onLeave()
    },
  }
}
