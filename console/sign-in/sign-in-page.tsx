import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Paper from '@mui/material/Paper'
import Stack from '@mui/material/Stack'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useLogin } from 'ra-core'
import { useEffect, useState } from 'react'
import type { BodyOf } from '#derive/console/operations.ts'
import type { AccountChoice } from '../client/answers.ts'
import { SeveralAccounts } from '../client/auth-provider.ts'
import { refusalText } from '../texts/refusal-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Brand } from '../ui/page.tsx'
import { Lead, Text } from '../ui/panel.tsx'

/** The typed values, and the chosen account. */
type Credentials = BodyOf<'session.begin'>
type TypedValues = Pick<Credentials, 'email' | 'password'> & { company: string }

/** Returns the typed number of a company: undefined if there is none, NaN if it is no number. */
function companyOf({ company }: TypedValues): number | undefined {
  const digits = company.trim()
  if (digits === '') return undefined
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : Number.NaN
}

/** The sign-in. A wrong name and a wrong password get the same message. */
export function SignInPage() {
  const texts = useTexts()
  const { signIn } = texts
  const login = useLogin()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const [wrongCompany, setWrongCompany] = useState(false)
  const [choosing, setChoosing] = useState<{ given: Credentials; choices: readonly AccountChoice[] }>()
  useEffect(() => {
    document.title = `${signIn.title} · ${texts.shell.product}`
  }, [signIn.title, texts.shell.product])

  async function submit(given: Credentials): Promise<void> {
    setBusy(true)
    setRefusal(undefined)
    try {
      await login(given)
    } catch (refused) {
      if (refused instanceof SeveralAccounts) setChoosing({ given, choices: refused.choices })
      else {
        setChoosing(undefined)
        setRefusal(refusalText(refused, texts, given.company_id !== undefined))
      }
      setBusy(false)
    }
  }

  function submitTyped(typed: TypedValues): void {
    const { email, password } = typed
    const company_id = companyOf(typed)
    setWrongCompany(Number.isNaN(company_id))
    if (Number.isNaN(company_id)) return
    submit({ email, password, ...(company_id === undefined ? {} : { company_id }) })
  }

  return (
    <Box component="main" sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', p: 2 }}>
      <Paper sx={{ p: { xs: 3, sm: 4 }, width: '100%', maxWidth: 400 }}>
        <Brand />
        <Text variant="h1" mt={3}>
          {signIn.title}
        </Text>
        <Lead mb={3}>{signIn.lead}</Lead>
        {choosing ? (
          <ChooseAccount
            choices={choosing.choices}
            isBusy={isBusy}
            onChoose={(account_id) => submit({ ...choosing.given, account_id })}
            onBack={() => setChoosing(undefined)}
          />
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              submitTyped(Object.fromEntries(new FormData(event.currentTarget)) as TypedValues)
            }}
          >
            <Stack spacing={2}>
              {refusal !== undefined && (
                <Alert severity="error" variant="outlined">
                  {refusal}
                </Alert>
              )}
              <TextField
                name="email"
                type="email"
                label={texts.commonFields.email}
                autoComplete="username"
                required
                autoFocus
                size="medium"
              />
              <TextField
                name="password"
                type="password"
                label={signIn.password}
                autoComplete="current-password"
                required
                size="medium"
              />
              {/* It is always here: asked only where an address has several accounts, it would tell that. */}
              <TextField
                name="company"
                label={signIn.company}
                helperText={wrongCompany ? signIn.companyWrong : signIn.companyHint}
                error={wrongCompany}
                autoComplete="off"
                size="medium"
                slotProps={{ htmlInput: { inputMode: 'numeric' } }}
              />
              <Button type="submit" variant="contained" size="large" loading={isBusy}>
                {signIn.title}
              </Button>
            </Stack>
          </form>
        )}
      </Paper>
    </Box>
  )
}

type ChooseAccountProps = {
  choices: readonly AccountChoice[]
  isBusy: boolean
  onChoose(id: number): void
  onBack(): void
}

/** Chooses one of several accounts with the same password. */
function ChooseAccount({ choices, isBusy, onChoose, onBack }: ChooseAccountProps) {
  const { signIn } = useTexts()
  return (
    <Stack component="section" aria-label={signIn.choose} spacing={1.5}>
      <Typography variant="h2">{signIn.choose}</Typography>
      <Typography color="textSecondary">{signIn.chooseLead}</Typography>
      {choices.map(({ account_id, name, company }, index) => (
        <Button
          key={account_id}
          variant="outlined"
          size="large"
          disabled={isBusy}
          autoFocus={index === 0}
          onClick={() => onChoose(account_id)}
          sx={{ justifyContent: 'start', textAlign: 'start', overflowWrap: 'anywhere' }}
        >
          <span>
            <Foreign text={company.name} /> (<Foreign text={name} />)
          </span>
        </Button>
      ))}
      <Button onClick={onBack} disabled={isBusy}>
        {signIn.other}
      </Button>
    </Stack>
  )
}
