import type { ForeignText } from './foreign.ts'

declare global {
  interface StringConstructor {
    /** A text of others stays one. */
    (value: ForeignText): ForeignText
  }
}
