import type { Definition } from '#registry/definition.ts'
import { servedDefinitions } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { ChoiceMatrix, type ChoiceMatrixProps } from '../../ui/choice-matrix.tsx'

type ScopeMatrixProps = Omit<ChoiceMatrixProps, 'rows' | 'columns' | 'codeOf'> & { resources?: readonly Definition[] }

/** Kinds of record against what may be done with them. */
export function ScopeMatrix({ resources = servedDefinitions, ...rest }: ScopeMatrixProps) {
  const { api } = useTexts().settings
  const { many } = useRecordTexts()
  return (
    <ChoiceMatrix
      {...rest}
      rows={resources.map(({ name }) => ({ key: name, name: many(name) }))}
      columns={[
        { key: 'VIEW', name: api.view },
        { key: 'EDIT', name: api.edit },
        { key: 'DELETE', name: api.delete },
      ]}
      codeOf={(resource, action) => `${resource.toUpperCase()}_${action}`}
    />
  )
}
