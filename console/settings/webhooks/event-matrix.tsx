import { eventActions, eventName } from '#registry/webhooks.ts'
import { served } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { ChoiceMatrix } from '../../ui/choice-matrix.tsx'

type EventMatrixProps = {
  chosen: readonly string[]
  held?: ReadonlySet<string>
  isReadOnly?: boolean
  onChange?(chosen: string[]): void
}

/** Kinds of record against what happens to them. */
export function EventMatrix(props: EventMatrixProps) {
  const { webhooks } = useTexts().settings
  const { many } = useRecordTexts()
  return (
    <ChoiceMatrix
      {...props}
      label={webhooks.events}
      rows={served.map(({ name }) => ({ key: name, name: many(name) }))}
      columns={eventActions.map((action) => ({ key: action, name: webhooks.actions[action] }))}
      codeOf={eventName}
    />
  )
}
