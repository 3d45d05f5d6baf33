import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import MenuItem from '@mui/material/MenuItem'
import Stack from '@mui/material/Stack'
import TextField, { type TextFieldProps } from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useNotify } from 'ra-core'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import type { Problem } from '#registry/definition.ts'
import { isRefused } from '../client/ask.ts'
import { useWrite } from '../client/use-write.ts'
import { errorText, problemText } from '../texts/refusal-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { AskFirst } from './ask-first.tsx'
import { Note } from './panel.tsx'

/** The helpers of a submit. `write` has the idempotency keys of this form; `say` shows a notice. */
type SubmitContext = { write: ReturnType<typeof useWrite>; say(text: string, type?: 'success' | 'warning'): void }

/** Returns the state of a small form that is not about a record. It sends once and shows refusals at their fields. */
export function useSmallForm<Given extends unknown[] = []>(
  send: (means: SubmitContext, ...given: Given) => Promise<unknown>,
) {
  const texts = useTexts()
  const write = useWrite()
  const notify = useNotify()
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [trouble, setTrouble] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  // The fields whose problems the last render showed, and those of this one.
  const shown = useRef<ReadonlySet<string>>(new Set())
  const [shownBefore, showing] = [shown.current, new Set<string>()]
  shown.current = showing
  const unshown = problems.find(({ field }) => !shownBefore.has(field))
  function wrong(...fields: string[]): string | undefined {
    for (const field of fields) showing.add(field)
    const problem = problems.find(({ field }) => fields.includes(field))
    return problem && problemText(problem, texts)
  }
  return {
    isBusy,
    /** The problem that no field shows: a refusal of the whole, or of a member that this form has no field for. */
    trouble: trouble ?? (unshown && `${unshown.field}: ${problemText(unshown, texts)}`),
    /** Returns the problem of a field, for its helper text. */
    wrong,
    /** Returns the properties of the input of a field: its value, its handler and its problem. */
    bindField: (field: string, value: string, onType: (typed: string) => void) => ({
      value,
      onType,
      wrong: wrong(field),
    }),
    async submit(...given: Given): Promise<boolean> {
      setBusy(true)
      setProblems([])
      setTrouble(undefined)
      try {
        await send({ write, say: (text, type = 'success') => notify(text, { type }) }, ...given)
        return true
      } catch (error) {
        if (isRefused(error) && error.body.errors?.length) setProblems(error.body.errors)
        else setTrouble(errorText(error, texts))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

type SmallFormProps = {
  form: ReturnType<typeof useSmallForm>
  /** What the button says that sends it. */
  confirm: string
  variant?: 'contained' | 'outlined'
  isDisabled?: boolean
  maxWidth?: number
  /** Called instead of sending the form at once. */
  onSubmit?(): void
  children: ReactNode
}

/** A form with its fields one below the other, its problems and its button. */
export const SmallForm = ({
  form,
  confirm,
  variant,
  isDisabled,
  maxWidth,
  onSubmit = form.submit,
  children,
}: SmallFormProps) => (
  <form
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    <Stack spacing={2} sx={{ maxWidth }}>
      {children}
      {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
      <Button
        type="submit"
        variant={variant ?? 'contained'}
        loading={form.isBusy}
        disabled={isDisabled}
        sx={{ alignSelf: 'start' }}
      >
        {confirm}
      </Button>
    </Stack>
  </form>
)

type Question = ComponentProps<typeof AskFirst>
type FormDialogProps = Pick<Question, 'title' | 'confirm' | 'isDisabled' | 'onClose' | 'children'> & {
  form: ReturnType<typeof useSmallForm>
}

/** A form in a wide dialog, which stays open until the form has been sent. */
export const FormDialog = ({ form, children, ...rest }: FormDialogProps) => (
  <AskFirst wide isBusy={form.isBusy} onConfirm={async () => (await form.submit()) && rest.onClose()} {...rest}>
    <Stack spacing={2} sx={{ pt: 1 }}>
      {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
      {children}
    </Stack>
  </AskFirst>
)

export type SmallFieldProps = Omit<TextFieldProps, 'onChange' | 'error' | 'helperText'> & {
  /** The problem, which is shown instead of the hint. */
  wrong?: string | undefined
  hint?: ReactNode
  onType(typed: string): void
}

export const SmallField = ({ wrong, hint, onType, ...rest }: SmallFieldProps) => (
  <TextField {...rest} error={!!wrong} helperText={wrong ?? hint} onChange={({ target }) => onType(target.value)} />
)

/** The input of the present password, which is asked for again before an important action. */
export function PasswordField(props: SmallFieldProps) {
  const { settings } = useTexts()
  return <SmallField type="password" label={settings.api.password} autoComplete="current-password" {...props} />
}

type SelectProps<Value> = Omit<TextFieldProps, 'value' | 'onChange'> & {
  value: Value
  options: readonly { value: Value; text: string }[]
  onChange(value: Value): void
}

/** The input of one of a few options. One is always chosen. */
export const Select = <Value extends string | number>({ options, onChange, ...rest }: SelectProps<Value>) => (
  <TextField
    select
    slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    onChange={({ target }) => onChange(target.value as Value)}
    {...rest}
  >
    {options.map(({ value, text }) => (
      <MenuItem key={value} value={value}>
        {text}
      </MenuItem>
    ))}
  </TextField>
)

type PasswordDialogProps = Pick<Question, 'title' | 'confirm' | 'isDangerous' | 'onClose'> & {
  lead: string
  children?: ReactNode
  /** Carries it out. A refusal is shown at the password. */
  send(password: string): Promise<unknown>
}

/** Explains what will happen and asks for the password first. */
export function PasswordDialog({ lead, children, send, ...question }: PasswordDialogProps) {
  const [password, setPassword] = useState('')
  const form = useSmallForm(() => send(password))
  const wrong = form.wrong('password') ?? form.trouble
  return (
    <AskFirst
      isBusy={form.isBusy}
      isDisabled={password === ''}
      onConfirm={async () => (await form.submit()) && question.onClose()}
      {...question}
    >
      {question.isDangerous ? <Note severity="warning">{lead}</Note> : <Typography gutterBottom>{lead}</Typography>}
      {children}
      <PasswordField autoFocus value={password} onType={setPassword} wrong={wrong} />
    </AskFirst>
  )
}
