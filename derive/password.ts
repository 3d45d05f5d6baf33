import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { type Problem, problem } from '#registry/definition.ts'
import { passwordLengthMax, passwordLengthMin } from '#registry/limits.ts'
import { knownPassphrases } from './known-passphrases.ts'

/**
 * Whether a text will do as a new password: the same check for the service and for the form. The dictionary is large,
 * so this is loaded when it is first needed. Decisions, Console.
 */

/** What is known around the account: a password made of it is easily guessed. */
export type Owner = {
  email: string
  name: string
  /** The company's name. */
  company: string
  /** The host of `PUBLIC_URL`, which the form in the browser does not know. */
  host?: string | undefined
}

/** How hard a password is to guess, 0 to 4. */
export type Strength = 0 | 1 | 2 | 3 | 4

const strengthMin = 3
/** Looking takes longer the longer the text; what follows can only make it harder to guess. */
const lookedAtMax = 100

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common'])

export function passwordStrength(password: string, owner: Owner): Strength {
  const { email, name } = owner
  const looked = [...password].slice(0, lookedAtMax).join('')
  if (isDecorated(looked, owner)) return 0
  return estimator.check(looked, [email, ...email.split('@'), name, ...name.split(/\s+/), ...contextWords(owner)]).score
}

/**
 * Whether a password is a common one, or little more than a name from around the account, with a few digits and signs about it
 * or said more than once. ASVS V6.2.4 and V6.2.11.
 */
function isDecorated(password: string, owner: Owner): boolean {
  const text = lettersAndDigits(password)
  const letters = withoutDigits(text)
  if (knownPassphrases.has(letters)) return true
  const shown = [...password.replace(/\s/g, '')]
  if (shown.filter((character) => !/\p{L}/u.test(character)).length > decorationMax) return false
  const rest = contextWords(owner).reduce((left, word) => left.replaceAll(word, ''), text)
  const base = oncePeriod(withoutDigits(rest))
  return (rest !== text && base.length < baseLengthMin) || commonPasswords.has(base)
}

/** Digits and signs beyond these make a password good whatever it is built on. */
const decorationMax = 6
/** What has to be left, in letters, where a name is taken away. */
const baseLengthMin = 6
const contextWordMin = 4

/** Names of the account, the company, the product and the host, the longest first; a name of several words also as one. */
const contextWords = ({ email, name, company, host = '' }: Owner): string[] =>
  [email, name, company, host, 'plumbline']
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .map(lettersAndDigits)
    .filter((word) => word.length >= contextWordMin)
    .toSorted((one, other) => other.length - one.length)

const lettersAndDigits = (text: string): string => folded(text).replace(/[^\p{L}\p{N}]/gu, '')
const withoutDigits = (text: string): string => text.replace(/\p{N}/gu, '')

/** The part of which a text is made by repeating it, or the whole text. */
function oncePeriod(text: string): string {
  const period = `${text}${text}`.indexOf(text, 1)
  return period > 0 ? text.slice(0, period) : text
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
