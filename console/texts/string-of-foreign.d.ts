import type { ForeignText } from './foreign.ts'

declare global {
  interface StringConstructor {
    /** A text of others stays one. */
    // biome-ignore lint/style/useShorthandFunctionType: it adds to an interface that is there
    (value: ForeignText): ForeignText
  }
}
