import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { type Problem, problem } from '#registry/definition.ts'
import { passwordLengthMax, passwordLengthMin } from '#registry/limits.ts'

/**
 * Whether a text will do as a new password: the same check for the service and for the form. The dictionary is large,
 * so this is loaded when it is first needed. Decisions, Console.
 */

/** What is known of the account: a password made of it is easily guessed. */
export type Owner = { email: string; name: string }

/** How hard a password is to guess, 0 to 4. */
export type Strength = 0 | 1 | 2 | 3 | 4

const strengthMin = 3
/** Looking takes longer the longer the text; what follows can only make it harder to guess. */
const lookedAtMax = 100

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

export function passwordStrength(password: string, { email, name }: Owner): Strength {
  const looked = [...password].slice(0, lookedAtMax).join('')
  return estimator.check(looked, [email, ...email.split('@'), name, ...name.split(/\s+/), 'plumbline']).score
}

/** What is wrong with a new password, and what to do about it. */
export function passwordProblem(password: string, owner: Owner, field: string): Problem | undefined {
  const length = [...password].length
  const bounds = `must have ${passwordLengthMin} to ${passwordLengthMax} characters`
  if (length < passwordLengthMin) return problem(field, 'too_short', bounds)
  if (length > passwordLengthMax) return problem(field, 'too_long', bounds)
  if (folded(password) === folded(owner.email))
    return problem(field, 'too_weak', 'is the e-mail address of the account; choose several words of your own')
  if (passwordStrength(password, owner) >= strengthMin) return undefined
  return problem(field, 'too_weak', 'is easily guessed; choose several words that do not belong together')
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()
