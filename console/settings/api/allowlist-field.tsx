import { allowlistProblem } from '#registry/allowlist.ts'
import { useTexts } from '../../texts/texts.tsx'
import { SmallField } from '../../ui/small-form.tsx'

type AllowlistFieldProps = { typed: string; wrong?: string | undefined; onType(typed: string): void }

/** The addresses that may use the token, checked while they are typed. */
export function AllowlistField({ typed, wrong, onType }: AllowlistFieldProps) {
  const { settings } = useTexts()
  const own = allowlistProblem(entriesOf(typed))
  const problem = own === undefined ? wrong : settings.api.allowlistProblem(own)
  return (
    <SmallField
      multiline
      minRows={2}
      label={settings.api.allowlist}
      value={typed}
      onType={onType}
      wrong={problem}
      hint={settings.api.allowlistHint}
    />
  )
}

/** What is typed into the list of addresses, one a line; commas do as well. */
export const entriesOf = (typed: string): string[] => typed.split(/[\s,;]+/).filter((entry) => entry !== '')
