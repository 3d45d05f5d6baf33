import { type ChangeEvent, useMemo, useState } from 'react'
import { shownText, typedValue } from '#derive/form/typed.ts'
import type { FormField } from '#derive/form.ts'
import { parseOpen, parseValue } from '#derive/parse-value.ts'
import type { Problem } from '#registry/definition.ts'
import type { Habits } from '#registry/fields/kind.ts'
import { decimalSignOf } from '#registry/fields/numeral.ts'
import { isSameJson, type Json } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { faultText, problemText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'

/** The properties of the input of any kind of field. */
export type InputProps = {
  field: FormField
  label: string
  /** The path of the value: `name`, `address.city`, `lines[3].quantity`. */
  path: string
  resource: string
  value: Json
  /** The stored value. Of a state, only those are offered that may follow it. */
  from?: Json
  /** The problems of this value and of its members. */
  problems?: readonly Problem[]
  onChange(value: Json): void
  onLeave?: () => void
  /** The text below the input while it has no problem. */
  hint?: string
}

export const inputId = (path: string): string => `field-${path}`

/** Returns how the reader writes. Numbers have the sign that the form shows; nothing decides the order of days. */
export function useHabits(): Habits {
  const { locale } = useTexts()
  const { currency } = useMe().company
  return useMemo(() => ({ language: locale, currency, decimal: decimalSignOf(locale) }), [locale, currency])
}

/** Returns the function that formats the problem of a field's value. Of a text that cannot be read, it says at which part. */
export function useProblemText() {
  const texts = useTexts()
  const habits = useHabits()
  return (problem: Problem, field: FormField | undefined, value: Json): string => {
    if (field === undefined || typeof value !== 'string') return problemText(problem, texts)
    const read = parseValue(value, field.field, habits)
    if ('open' in read) return texts.form.openDay
    return 'fault' in read ? faultText(read.fault, field.field, habits, texts) : problemText(problem, texts)
  }
}

/** Returns the sentence about a problem of exactly this value. */
export function useProblemHere({ problems = [], path, field, value }: InputProps): string | undefined {
  const textOf = useProblemText()
  const problem = problems.find((candidate) => candidate.field === path)
  return problem && textOf(problem, field, value)
}

/** Returns the days that a text can mean, if nothing decides which of its numbers is the month. */
export function useOpenDays({ value, field }: InputProps): string[] {
  const habits = useHabits()
  const read = typeof value === 'string' ? parseValue(value, field.field, habits) : { value }
  if (typeof value !== 'string' || !('open' in read)) return []
  return parseOpen(read.open, value, field.field, habits).flatMap(([, each]) =>
    'value' in each ? String(each.value) : [],
  )
}

/** Returns the properties that all inputs with a text field share. */
export function useTextField(props: InputProps) {
  const wrong = useProblemHere(props)
  return {
    id: inputId(props.path),
    label: props.label,
    required: props.field.required,
    value: props.value ?? '',
    error: wrong !== undefined,
    helperText: wrong ?? props.hint,
    onChange: ({ target }: { target: { value: string } }) => props.onChange(target.value === '' ? null : target.value),
    onBlur: props.onLeave,
  }
}

/**
 * Returns the properties of a text field whose text is parsed. On leaving, it shows the value that was read. A text that
 * cannot be read stays as it was typed, so that nothing is lost and the check reports it.
 */
export function useTypedField(props: InputProps) {
  const { field, value, onChange, onLeave } = props
  const habits = useHabits()
  const [typed, setTyped] = useState<string | null>(null)
  const means = (text: string): Json => typedValue(text, field.field, habits)
  // A reset, or somebody else's edit, may also change the value.
  const isOwn = typed !== null && isSameJson(means(typed), value)
  return {
    ...useTextField(props),
    value: isOwn ? typed : shownText(value, field.field, habits),
    autoComplete: 'off',
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setTyped(target.value)
      onChange(means(target.value))
    },
    onBlur: () => {
      setTyped(null)
      onLeave?.()
    },
  }
}
