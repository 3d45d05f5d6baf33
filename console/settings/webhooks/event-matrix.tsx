import { eventActions, eventName } from '#registry/webhooks.ts'
import { servedDefinitions } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { ChoiceMatrix, type ChoiceMatrixProps } from '../../ui/choice-matrix.tsx'

/** Kinds of record against what happens to them. */
export function EventMatrix(props: Omit<ChoiceMatrixProps, 'label' | 'rows' | 'columns' | 'codeOf'>) {
  const { webhooks } = useTexts().settings
  const { many } = useRecordTexts()
  return (
    <ChoiceMatrix
      {...props}
      label={webhooks.events}
      rows={servedDefinitions.map(({ name }) => ({ key: name, name: many(name) }))}
      columns={eventActions.map((action) => ({ key: action, name: webhooks.actions[action] }))}
      codeOf={eventName}
    />
  )
}
