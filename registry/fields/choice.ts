import { memoize } from '../memoize.ts'
import { type CommonMembers, type Habits, type Kind, refuse } from './kind.ts'
import { foldLabel, spell } from './spelling.ts'

/**
 * One of a few words. If the word is a state, `moves` has the steps between them. A record may be created in any
 * state, because records arrive from other systems with a history.
 */
export type ChoiceField = CommonMembers & {
  kind: 'choice'
  values: readonly string[]
  moves?: { readonly [from: string]: readonly string[] }
  /** True if a form begins with the value that was chosen last on the device. */
  recalled?: true
  /** The value that approves a record. Setting or replacing it needs `<RECORDS>_APPROVE`. */
  approval?: string
}

export const choice: Kind<ChoiceField> = {
  schema: ({ values }) => ({ type: 'string', enum: values }),
  must: ({ values }) => `must be one of ${values.join(', ')}`,
  column: () => 'text',
  check: ({ values }, column) => `${column} in (${values.map((value) => `'${value}'`).join(', ')})`,
  parse(text, { values }, { labelsOf = noLabels }) {
    const spelled = spell(text)
    if (spelled === '') return { value: null }
    const value = valuesByLabel(labelsOf)(values).get(foldLabel(spelled))
    return value === undefined ? refuse('no_such_word', spelled) : { value }
  },
  format: (value, _, { labelsOf = noLabels }) => labelsOf(value as string)[0] ?? (value as string),
  example: ({ values }) => values[0] as string,
  sortable: true,
  filter: 'several',
  choice: (field) => field,
}

const noLabels: NonNullable<Habits['labelsOf']> = () => []

/** Returns the values by their own names and by their labels, which are those of no other value. */
const valuesByLabel = memoize((labelsOf: NonNullable<Habits['labelsOf']>) =>
  memoize(
    (values: readonly string[]) =>
      new Map(
        values.flatMap((value) => [...labelsOf(value), value].map((label) => [foldLabel(label), value] as const)),
      ),
  ),
)

/** Yes or no. */
type FlagField = CommonMembers & { kind: 'flag' }

export const flag: Kind<FlagField> = {
  schema: () => ({ type: 'boolean' }),
  must: () => 'must be true or false',
  column: () => 'boolean',
  parse(text) {
    const spelled = spell(text)
    if (spelled === '') return { value: null }
    const [value] = Object.entries(answers).find(([, words]) => words.includes(foldLabel(spelled))) ?? []
    return value === undefined ? refuse('not_yes_or_no', spelled) : { value: value === 'true' }
  },
  format: (value, _, { language }) => (language.startsWith('de') ? (value ? 'ja' : 'nein') : value ? 'yes' : 'no'),
  example: () => false,
  sortable: true,
  filter: 'one',
}

const answers: { readonly [value in 'true' | 'false']: readonly string[] } = {
  true: ['true', 'yes', 'y', 'ja', 'j', 'wahr', '1', 'x'],
  false: ['false', 'no', 'n', 'nein', 'falsch', '0'],
}
