import TextField from '@mui/material/TextField'
import { allowlistProblem } from '#registry/allowlist.ts'
import { useTexts } from '../../texts/texts.tsx'

type AllowlistFieldProps = { typed: string; wrong?: string | undefined; onType(typed: string): void }

/** The addresses that may use the token, checked while they are typed. */
export function AllowlistField({ typed, wrong, onType }: AllowlistFieldProps) {
  const { settings } = useTexts()
  const own = allowlistProblem(entriesOf(typed))
  const problem = own === undefined ? wrong : settings.api.allowlistProblem(own)
  return (
    <TextField
      multiline
      minRows={2}
      label={settings.api.allowlist}
      value={typed}
      onChange={({ target }) => onType(target.value)}
      error={problem !== undefined}
      helperText={problem ?? settings.api.allowlistHint}
    />
  )
}

/** What is typed into the list of addresses, one a line; commas do as well. */
export const entriesOf = (typed: string): string[] =>
  typed
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
