import type { ComponentType } from 'react'
import type { FormField } from '#derive/form.ts'
import type { Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { problemText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'

/** What every input of a form is given, whatever kind of field it is for. */
export type InputProps = {
  field: FormField
  label: string
  /** Where the value is: `name`, `address.city`, `lines[3].quantity`. */
  path: string
  /** The kind of record that the form is about. */
  resource: string
  value: Json
  /** What is wrong here and inside. */
  problems: readonly Problem[]
  /** The whole form, for what depends on another field. */
  record: JsonObject
  onChange(value: Json): void
  onLeave(): void
  /** What stands below the input as long as nothing is wrong. */
  hint?: string
  isCompact?: boolean
}

/** Of a value with members, which have inputs of their own. */
export type MembersInputProps = InputProps & { inputOf(kind: FormField['kind']): ComponentType<InputProps> }

export const inputId = (path: string): string => `field-${path}`

/** What is wrong with exactly this value, as a sentence. */
export function useProblemHere({ problems, path, field, value }: InputProps): string | undefined {
  const texts = useTexts()
  const problem = problems.find((candidate) => candidate.field === path)
  if (!problem) return undefined
  // Typed text that could not be read as an amount: the service's sentence speaks of minor units, which nobody typed.
  if (field.kind === 'money' && typeof value === 'string') return texts.form.unreadable.money
  return problemText(problem, texts)
}

/** The properties that text-like inputs share. */
export function useTextField(props: InputProps) {
  const wrong = useProblemHere(props)
  return {
    id: inputId(props.path),
    label: props.isCompact ? undefined : props.label,
    required: props.field.required,
    value: props.value ?? '',
    error: wrong !== undefined,
    helperText: wrong ?? props.hint,
    onChange: ({ target }: { target: { value: string } }) => props.onChange(target.value === '' ? null : target.value),
    onBlur: props.onLeave,
    slotProps: {
      htmlInput: props.isCompact ? { 'aria-label': props.label } : {},
      inputLabel: {},
    },
  }
}
