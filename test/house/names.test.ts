import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { sourceFiles, textOf } from './sources.ts'

/** Rule 1 of CONTRIBUTING, "How it is written". The nouns are in docs/glossary.md. */

/** Participles that end in neither -ed nor -ing, pronouns, and words that the glossary replaces. */
const replaced = new Set(
  `about again all answer around at before begun beside besides between beyond bought bound by cut done drawn each
  either every everything from given got grown heard held inwords itself keptanswer kept known left made met more
  nobody none nothing on one only other others otherwise out over own plan reply row said same seen sent shown some
  sometimes soon spelt spent taken tell then these they this those told two undone upon what where which who whole
  with within without wrong written yes`.split(/\s+/),
)

/** Nouns and verbs that end like participles. */
const allowed = new Set(
  `bring coding embed encoding feed listing need paging ping ring seed setting speed string thing`.split(' '),
)

/** The package for programs keeps the names that its users import. */
const published = ['Applied', 'Fetched', 'Refused', 'Written'].map((name) => `clients/typescript/src/${name}`)

function isReplaced(name: string): boolean {
  const word = name.toLowerCase()
  if (/[a-z][A-Z_\d]/.test(name)) return word === 'keptanswer' || word === 'inwords'
  return replaced.has(word) || (/(?:ed|ing)$/.test(word) && !allowed.has(word))
}

/** The names of types, of functions and of exports that a file declares. */
function declaredNames(file: string): string[] {
  const declarations = [
    /^[ \t]*(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm,
    /^(?:export )?(?:async )?function\*? (\w+)/gm,
    /^(?:export )?const (\w+)(?:: [^=]+)? =\s*(?:async )?(?:<[^>]+>)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\w+)(?:: [^=]+)? =>/gm,
    /^export (?:const|let) (\w+)/gm,
  ]
  const text = textOf(file)
  return declarations.flatMap((declaration) => [...text.matchAll(declaration)].map(([, name]) => name as string))
}

test('no type, function or export has a bare participle, a pronoun or a replaced word as its name', () => {
  const found = sourceFiles.flatMap((file) =>
    [...new Set(declaredNames(file))]
      .filter((name) => isReplaced(name) && !published.includes(`${dirname(file)}/${name}`))
      .map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

test('the words are found in every place where they may stand', () => {
  const names = [
    'told',
    'Told',
    'keptAnswer',
    'given',
    'asked',
    'Asking',
    'Row',
    'Plan',
    'Answer',
    'who',
    'own',
    'opened',
  ]
  expect(names.filter((name) => !isReplaced(name))).toEqual([])
  const kept = ['CallerRow', 'formatProblem', 'readSetting', 'string', 'feed', 'SubscriptionPlan', 'ownOperations']
  expect(kept.filter(isReplaced)).toEqual([])
})
