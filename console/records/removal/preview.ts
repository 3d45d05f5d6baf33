import type { Involved } from '../../door/ask.ts'

/** What a deletion would do, or has done. */
export type Preview = {
  id: number
  mode: 'soft' | 'hard'
  would_delete?: Involved[]
  would_keep?: Involved[]
  removal_id?: number
}
