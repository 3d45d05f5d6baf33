import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Note } from '../../ui/panel.tsx'
import type { ImportState } from './use-import.ts'

/** Returns the sentence about an earlier import of the very same file. */
export function useSameFile({ state: { sameFile } }: ImportState): string | undefined {
  const { imports } = useTexts()
  const format = useFormat()
  if (!sameFile) return undefined
  const { account_name: name, at, created, changed } = sameFile
  return imports.sameFile(format.day(at), name === null ? imports.byCommand : quote(name), created + changed)
}

export function SameFileNote({ importing }: { importing: ImportState }) {
  const text = useSameFile(importing)
  return text === undefined ? null : <Note severity="warning">{text}</Note>
}
