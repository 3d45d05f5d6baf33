import { invalidFields, type Refusal } from '#registry/refusals.ts'

/** What could make an account somebody else's asks for the password of whoever does it; this says that it is missing. */
export const needsPassword = (field: string): Refusal =>
  invalidFields([{ field, code: 'required', message: 'is required: give your own password to change this' }])
