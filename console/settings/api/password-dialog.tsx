import Typography from '@mui/material/Typography'
import { type ReactNode, useState } from 'react'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Note } from '../../ui/panel.tsx'
import { PasswordField, useSmallForm } from '../../ui/small-form.tsx'

type PasswordDialogProps = {
  title: string
  lead: string
  confirm: string
  isDangerous?: boolean
  children?: ReactNode
  onClose(): void
  /** Carries it out. A refusal is shown at the password. */
  send(password: string): Promise<unknown>
}

/** Explains what will happen and asks for the password first. */
export function PasswordDialog({ title, lead, confirm, isDangerous, children, onClose, send }: PasswordDialogProps) {
  const [password, setPassword] = useState('')
  const form = useSmallForm(() => send(password))
  const wrong = form.wrong('password') ?? form.trouble
  return (
    <AskFirst
      title={title}
      confirm={confirm}
      isDangerous={isDangerous}
      isBusy={form.isBusy}
      isDisabled={password === ''}
      onConfirm={async () => (await form.submit()) && onClose()}
      onClose={onClose}
    >
      {isDangerous ? <Note severity="warning">{lead}</Note> : <Typography gutterBottom>{lead}</Typography>}
      {children}
      <PasswordField autoFocus value={password} onType={setPassword} wrong={wrong} />
    </AskFirst>
  )
}
