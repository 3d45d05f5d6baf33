import { useState } from 'react'
import type { Problem } from '#registry/definition.ts'
import { isRefused } from '../client/ask.ts'
import { errorText, problemText } from '../texts/refused.ts'
import { useTexts } from '../texts/texts.tsx'

/** A form of a few fields that are no record’s: sends once, and brings refusals back to their fields. */
export function useSmallForm(send: () => Promise<unknown>) {
  const texts = useTexts()
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [trouble, setTrouble] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  return {
    isBusy,
    trouble,
    /** What is wrong at a field, for its helper text. */
    wrong(...fields: string[]): string | undefined {
      const problem = problems.find(({ field }) => fields.includes(field))
      return problem && problemText(problem, texts)
    },
    async submit(): Promise<boolean> {
      setBusy(true)
      setProblems([])
      setTrouble(undefined)
      try {
        await send()
        return true
      } catch (error) {
        if (isRefused(error) && error.body.errors?.length) setProblems(error.body.errors)
        else setTrouble(errorText(error, texts))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}
