import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { ask } from '../client/ask.ts'
import { useMe } from '../me/me.tsx'
import { rawText } from '../texts/raw-text.ts'
import { refusalText } from '../texts/refusal-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { AskFirst } from '../ui/ask-first.tsx'
import { Note } from '../ui/panel.tsx'
import { PasswordField } from '../ui/small-form.tsx'

/** Asks to sign in again over the page if the session ended, so that typed values are not lost. */
export function SignInAgain({ open, onDone }: { open: boolean; onDone(): void }) {
  const texts = useTexts()
  const { account } = useMe()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  async function submit(): Promise<void> {
    try {
      await ask('session.begin', { body: { email: rawText(account.email), password, account_id: account.id } })
      setPassword('')
      onDone()
    } catch (refused) {
      setError(refused)
    }
  }
  if (!open) return null
  return (
    <AskFirst title={texts.signIn.again} confirm={texts.signIn.title} onConfirm={submit} onClose={onDone}>
      <Typography gutterBottom>{texts.signIn.againLead}</Typography>
      {error !== undefined && <Note severity="error">{refusalText(error, texts)}</Note>}
      <PasswordField autoFocus label={texts.signIn.password} value={password} onType={setPassword} />
    </AskFirst>
  )
}
