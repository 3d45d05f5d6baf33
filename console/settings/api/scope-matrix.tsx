import { ChoiceMatrix } from '../../look/choice-matrix.tsx'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'

type ScopeMatrixProps = {
  label: string
  kinds: readonly string[]
  chosen: readonly string[]
  /** What can be ticked; everything when absent. */
  held?: ReadonlySet<string>
  isReadOnly?: boolean
  onChange?(chosen: string[]): void
}

/** Kinds of record against what may be done with them. */
export function ScopeMatrix({ kinds, ...rest }: ScopeMatrixProps) {
  const { api } = useTexts().settings
  const { many } = useRecordTexts()
  return (
    <ChoiceMatrix
      {...rest}
      rows={kinds.map((kind) => ({ key: kind, name: many(kind) }))}
      columns={[
        { key: 'VIEW', name: api.view },
        { key: 'EDIT', name: api.edit },
        { key: 'DELETE', name: api.delete },
      ]}
      codeOf={(kind, action) => `${kind.toUpperCase()}_${action}`}
    />
  )
}
