/** The form of a token: a fixed prefix, then hexadecimal digits. Spec, Authentication 2; Decisions, Tokens. */
export const tokenPrefix = 'plumb_live_'
export const tokenDigits = 72
