import { type ChangeEvent, useState } from 'react'
import type { Json } from '#registry/json.ts'
import { type InputProps, useTextField } from './input.ts'

/**
 * Text as it is being typed, and the value that it means. What cannot be read stays as it was typed, so the check says
 * what is wrong with it and nothing is lost.
 */
function useTyped(value: Json, write: (value: number) => string, read: (typed: string) => number | undefined) {
  const [typed, setTyped] = useState<string | null>(null)
  const means = (text: string): Json => (text.trim() === '' ? null : (read(text) ?? text))
  const written = value === null || value === undefined ? '' : typeof value === 'number' ? write(value) : String(value)
  // The value may also change from outside, by a reset or by somebody else's edit.
  const isOwn = typed !== null && means(typed) === (value ?? null)
  return {
    text: isOwn ? typed : written,
    type(text: string): Json {
      setTyped(text)
      return means(text)
    },
    settle: () => setTyped(null),
  }
}

/** The properties of a text field in which a number is typed. */
export function useTypedField(
  props: InputProps,
  write: (value: number) => string,
  read: (typed: string) => number | undefined,
) {
  const { text, type, settle } = useTyped(props.value, write, read)
  return {
    ...useTextField(props),
    value: text,
    autoComplete: 'off',
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => props.onChange(type(target.value)),
    onBlur: () => {
      settle()
      props.onLeave()
    },
  }
}
