import { AskFirst } from '../../look/ask-first.tsx'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'

type FinalStepProps = { kind: string; to: string; onConfirm(): void; onClose(): void }

/** Before a step that cannot be taken back. */
export function FinalStep({ kind, to, onConfirm, onClose }: FinalStepProps) {
  const { show } = useTexts()
  const { step, value } = useRecordTexts()
  return (
    <AskFirst
      open
      title={show.finalTitle(step(kind, to))}
      confirm={step(kind, to)}
      onConfirm={() => {
        onClose()
        onConfirm()
      }}
      onClose={onClose}
    >
      {show.final(value(kind, to))}
    </AskFirst>
  )
}
