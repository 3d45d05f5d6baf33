import { type ElementType, useMemo } from 'react'
import { spellText } from '#derive/format-printable.ts'
import { type ForeignText, shownMax } from '../texts/foreign.ts'
import { useTexts } from '../texts/texts.tsx'

type ForeignProps = {
  text: ForeignText | string | null | undefined
  /** Most characters that are shown; the length of a longer text stands beside them. */
  max?: number
  component?: ElementType
}

/**
 * Shows a text of others: set apart from what stands beside it, with invisible characters and those of direction as
 * their code points, cut with its length, and never empty. Decisions, Foreign texts.
 */
export function Foreign({ text, max = shownMax, component: Element = 'bdi' }: ForeignProps) {
  const { common } = useTexts()
  const { text: spelled, length, isCut } = useMemo(() => spellText(String(text ?? ''), max), [text, max])
  return (
    <Element>
      {spelled || '–'}
      {isCut && `… (${common.characters(length)})`}
    </Element>
  )
}
