import type { DoubtCode } from '#registry/field-codes.ts'
import type { Doubt } from '#registry/refusals.ts'
import { useTexts } from '../texts/texts.tsx'
import { AskFirst } from '../ui/ask-first.tsx'
import { Note } from '../ui/panel.tsx'

/** Returns the codes of doubts, each once, by which a person accepts them. */
export const codesOf = (doubts: readonly Doubt[]): DoubtCode[] => [...new Set(doubts.map(({ code }) => code))]

/** Shows each doubt once, in the reader's language. */
export function DoubtNotes({ doubts }: { doubts: readonly Doubt[] }) {
  const texts = useTexts()
  return codesOf(doubts).map((code) => (
    <Note key={code} severity="warning">
      {texts.doubts[code]}
    </Note>
  ))
}

type DoubtDialogProps = {
  doubts: readonly Doubt[]
  /** The label of the button that writes. */
  label: string
  onConfirm(): void
  onClose(): void
}

/** Asks about the doubts of a write before it is sent once more. */
export function DoubtDialog({ doubts, label, onConfirm, onClose }: DoubtDialogProps) {
  const { show } = useTexts()
  const confirm = show.nevertheless(label)
  return (
    <AskFirst title={show.finalTitle(confirm)} confirm={confirm} onConfirm={onConfirm} onClose={onClose}>
      <DoubtNotes doubts={doubts} />
    </AskFirst>
  )
}
