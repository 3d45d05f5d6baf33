import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { ChoiceMatrix } from '../../ui/choice-matrix.tsx'

type ScopeMatrixProps = {
  label: string
  resources: readonly string[]
  chosen: readonly string[]
  /** What can be ticked; everything when absent. */
  held?: ReadonlySet<string>
  isReadOnly?: boolean
  onChange?(chosen: string[]): void
}

/** Kinds of record against what may be done with them. */
export function ScopeMatrix({ resources, ...rest }: ScopeMatrixProps) {
  const { api } = useTexts().settings
  const { many } = useRecordTexts()
  return (
    <ChoiceMatrix
      {...rest}
      rows={resources.map((resource) => ({ key: resource, name: many(resource) }))}
      columns={[
        { key: 'VIEW', name: api.view },
        { key: 'EDIT', name: api.edit },
        { key: 'DELETE', name: api.delete },
      ]}
      codeOf={(resource, action) => `${resource.toUpperCase()}_${action}`}
    />
  )
}
