import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'

type FinalStepProps = { resource: string; to: string; onConfirm(): void; onClose(): void }

/** Before a step that cannot be taken back. */
export function FinalStep({ resource, to, onConfirm, onClose }: FinalStepProps) {
  const { show } = useTexts()
  const { step, value } = useRecordTexts()
  return (
    <AskFirst
      open
      title={show.finalTitle(step(resource, to))}
      confirm={step(resource, to)}
      onConfirm={() => {
        onClose()
        onConfirm()
      }}
      onClose={onClose}
    >
      {show.final(value(resource, to))}
    </AskFirst>
  )
}
