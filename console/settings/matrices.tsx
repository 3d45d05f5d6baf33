import type { Definition } from '#registry/definition.ts'
import { eventActions, eventName } from '#registry/webhooks.ts'
import { servedDefinitions } from '../shell/places.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { ChoiceMatrix, type ChoiceMatrixProps } from '../ui/choice-matrix.tsx'

type MatrixProps = Omit<ChoiceMatrixProps, 'rows' | 'columns' | 'codeOf'>
type RecordMatrixProps = Omit<ChoiceMatrixProps, 'rows'> & { resources?: readonly Definition[] | undefined }

/** A matrix of resources and rights. */
export function ScopeMatrix(props: MatrixProps & { resources?: readonly Definition[] }) {
  const { api } = useTexts().settings
  return (
    <RecordMatrix
      {...props}
      columns={[
        { key: 'VIEW', name: api.view },
        { key: 'EDIT', name: api.edit },
        { key: 'DELETE', name: api.delete },
      ]}
      codeOf={(resource, action) => `${resource.toUpperCase()}_${action}`}
    />
  )
}

/** A matrix of resources and events. */
export function EventMatrix(props: Omit<MatrixProps, 'label'>) {
  const { events, actions } = useTexts().settings.webhooks
  const columns = eventActions.map((action) => ({ key: action, name: actions[action] }))
  return <RecordMatrix {...props} label={events} columns={columns} codeOf={eventName} />
}

function RecordMatrix({ resources = servedDefinitions, ...rest }: RecordMatrixProps) {
  const { many } = useRecordTexts()
  return <ChoiceMatrix {...rest} rows={resources.map(({ name }) => ({ key: name, name: many(name) }))} />
}
