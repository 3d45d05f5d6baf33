import Box from '@mui/material/Box'
import LinearProgress from '@mui/material/LinearProgress'
import { useEffect, useState } from 'react'
import type { Owner, Strength } from '#derive/password.ts'
import { useTexts } from '../texts/texts.tsx'
import { SmallField, type SmallFieldProps } from './small-form.tsx'

type NewPasswordFieldProps = SmallFieldProps & { value: string; owner: Owner; hint?: string | undefined }

/** The input of a new password. Shows its strength by the service's own measure while it is typed. */
export function NewPasswordField({ owner, hint, ...rest }: NewPasswordFieldProps) {
  const { profile } = useTexts()
  const strength = useStrength(rest.value, owner)
  return (
    <div>
      <SmallField
        type="password"
        autoComplete="new-password"
        hint={[profile.strengthHint, hint].filter(Boolean).join(' ')}
        {...rest}
      />
      {rest.value !== '' && (
        // Reserves its place from the first letter on, so that nothing moves under a click when the measure arrives.
        <Box
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            mt: 0.5,
            mx: 1.75,
            visibility: strength === undefined ? 'hidden' : 'visible',
          }}
        >
          <LinearProgress
            aria-hidden
            variant="determinate"
            value={((strength ?? 0) + 1) * 20}
            color={(strength ?? 0) < 3 ? 'warning' : 'success'}
            sx={{ flex: '0 0 80px' }}
          />
          <Box component="span" role="status" sx={{ fontSize: '0.75rem' }}>
            {strength === undefined ? '\u00A0' : profile.strength[strength]}
          </Box>
        </Box>
      )}
    </div>
  )
}

/** Loads the measure, which is large, with the first letter. Without it, the service refuses a weak password. */
function useStrength(password: string, { email, name, company }: Owner): Strength | undefined {
  const [measured, setMeasured] = useState<{ password: string; strength: Strength }>()
  useEffect(() => {
    if (password === '') return
    let current = true
    import('#derive/password.ts')
      .then(({ passwordStrength }) => {
        if (current) setMeasured({ password, strength: passwordStrength(password, { email, name, company }) })
      })
      .catch(() => undefined)
    return () => {
      current = false
    }
  }, [password, email, name, company])
  return password === '' ? undefined : measured?.strength
}
