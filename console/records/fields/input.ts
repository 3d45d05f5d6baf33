import type { FormField } from '#derive/form.ts'
import type { Problem } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import { problemText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'

/** The properties of the input of any kind of field. */
export type InputProps = {
  field: FormField
  label: string
  /** The path of the value: `name`, `address.city`, `lines[3].quantity`. */
  path: string
  resource: string
  value: Json
  /** The problems of this value and of its members. */
  problems?: readonly Problem[]
  onChange(value: Json): void
  onLeave?: () => void
  /** The text below the input while it has no problem. */
  hint?: string
}

export const inputId = (path: string): string => `field-${path}`

/** Returns the sentence about a problem of exactly this value. */
export function useProblemHere({ problems = [], path, field, value }: InputProps): string | undefined {
  const texts = useTexts()
  const problem = problems.find((candidate) => candidate.field === path)
  if (!problem) return undefined
  // The typed text is no amount. The service's sentence is about minor units, which nobody typed.
  if (field.kind === 'money' && typeof value === 'string') return texts.form.unreadable.money
  return problemText(problem, texts)
}

/** The properties that text-like inputs share. */
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
