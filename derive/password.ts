import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { type Problem, problem } from '#registry/definition.ts'
import { passwordLengthMax, passwordLengthMin } from '#registry/limits.ts'

/**
 * Checks a new password, for the service and for the form. The dictionary is large, so this module is loaded when
 * first needed. Decisions, Console.
 */

/** Names around the account. A password built from them is easy to guess. */
export type Owner = {
  email: string
  name: string
  /** The company's name. */
  company: string
  /** The host of `PUBLIC_URL`. The form in the browser lacks it. */
  host?: string | undefined
}

/** The strength of a password, 0 to 4. */
export type Strength = 0 | 1 | 2 | 3 | 4

const strengthMin = 3
/** The estimate takes longer with the length. Further characters can only make a password stronger. */
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
 * True if a password is a common one, or a name from around the account, with a few digits and signs or repeated. ASVS
 * V6.2.4 and V6.2.11.
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

/** Digits and signs beyond these make any password good. */
const decorationMax = 6
/** Letters that must be left after a name is removed. */
const baseLengthMin = 6
const contextWordMin = 4

/** Returns names of account, company, product and host, longest first. One of several words also counts as one. */
const contextWords = ({ email, name, company, host = '' }: Owner): string[] =>
  [email, name, company, host, 'plumbline']
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .map(lettersAndDigits)
    .filter((word) => word.length >= contextWordMin)
    .toSorted((one, other) => other.length - one.length)

const lettersAndDigits = (text: string): string => foldCase(text).replace(/[^\p{L}\p{N}]/gu, '')
const withoutDigits = (text: string): string => text.replace(/\p{N}/gu, '')

/** Returns the part that a text repeats, or the whole text. */
function oncePeriod(text: string): string {
  const period = `${text}${text}`.indexOf(text, 1)
  return period > 0 ? text.slice(0, period) : text
}

/** Returns the problem of a new password, and what to do. */
export function passwordProblem(password: string, owner: Owner, field: string): Problem | undefined {
  const length = [...password].length
  const bounds = `must have ${passwordLengthMin} to ${passwordLengthMax} characters`
  if (length < passwordLengthMin) return problem(field, 'too_short', bounds)
  if (length > passwordLengthMax) return problem(field, 'too_long', bounds)
  if (foldCase(password) === foldCase(owner.email))
    return problem(field, 'too_weak', 'is the e-mail address of the account; choose several words of your own')
  if (passwordStrength(password, owner) >= strengthMin) return undefined
  return problem(field, 'too_weak', 'is easily guessed; choose several words that do not belong together')
}

const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Well-known example sentences, in small letters and without blanks or signs. */
const knownPassphrases: ReadonlySet<string> = new Set(
  [
    'correct horse battery staple',
    'cleft cam synod lacy yr wok',
    'the quick brown fox jumps over the lazy dog',
    'my voice is my passport verify me',
    'now is the time for all good men to come to the aid of the party',
    'to be or not to be that is the question',
    'may the force be with you',
    'all your base are belong to us',
    'lorem ipsum dolor sit amet',
    'once upon a time in the west',
  ].map((text) => text.replaceAll(' ', '')),
)
