import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Owner, passwordStrength } from '#derive/password.ts'
import { kindOf } from '#registry/fields/index.ts'
import { passwordLengthMax, passwordLengthMin } from '#registry/limits.ts'
import { fieldPermissions, permission, permissions, scopes } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { routes } from '#server/console-api/routes.ts'
import { attemptsMax, attemptsOfPeerMax, attemptWindowSeconds } from '#server/service/attempts.ts'
import { deviceDays } from '#server/service/device.ts'
import { sessionDays, sessionIdleHours } from '#sql/system/sessions.ts'
import { attacks } from '../hostile/attacks/index.ts'
import type { Series } from '../hostile/trial.ts'
import { seriesVerdictOf } from '../hostile/verdict.ts'
import { linesWith } from './sources.ts'

/** What the pages of docs/security promise, against the constants and lists that the program goes by. */
const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8').replaceAll(/\s+/g, ' ')
const access = read('docs/security/access.md')

/** The rows of the table under a heading, cell by cell, without its head. */
const tableUnder = (path: string, heading: string): string[][] => {
  const text = readFileSync(join(root, path), 'utf8').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
    .filter(([, ...rest], index) => index > 0 && !rest.every((cell) => /^-+$/.test(cell)))
}

const words: { readonly [number: number]: string } = { 10: 'Ten', 100: 'a hundred' }

describe('docs/security/access.md', () => {
  test('says how guessing is held back, and how nobody is locked out by it [V6.1.1]', () => {
    expect(attemptWindowSeconds).toBe(15 * 60)
    expect(access).toContain(
      `${words[attemptsMax]} attempts at an account and ${words[attemptsOfPeerMax]} from a peer in a quarter of an hour`,
    )
    expect(access).toContain(`a signed cookie for ${deviceDays} days`)
    expect(access).toContain("nobody can be kept out by others' guesses")
  })

  test('says how many characters a password has, and names each source of words that it may not be made of [V6.1.2]', () => {
    expect(access).toContain(`have ${passwordLengthMin} to ${passwordLengthMax} characters`)
    const nobody: Owner = { email: 'x@y.zz', name: 'X', company: 'Y', host: 'z' }
    const sources: { [word: string]: { [source in keyof Owner]?: string } } = {
      'its own words': { email: 'marigold@y.zz', name: 'Marigold' },
      'the company': { company: 'Marigold' },
      'the host of `PUBLIC_URL`': { host: 'marigold.example' },
    }
    expect(new Set(Object.values(sources).flatMap((source) => Object.keys(source)))).toEqual(
      new Set(Object.keys(nobody)),
    )
    for (const [word, source] of Object.entries(sources)) {
      expect(access).toContain(word)
      for (const [name, value] of Object.entries(source))
        expect(passwordStrength('Marigold-2026', { ...nobody, [name]: value }), name).toBe(0)
    }
    expect(access).toContain('the product')
    expect(passwordStrength('Plumbline-2026', nobody)).toBe(0)
  })

  test('names every way to sign in, and there is no other route that does not ask who calls [V6.1.3]', () => {
    expect(tableUnder('docs/security/access.md', 'Who comes in, and how').map(([who]) => who)).toEqual([
      'a program, under `/v1`',
      'an agent of a language model, at `/mcp`',
      'a person, in the interface',
      'the operator',
    ])
    expect(routes.filter(({ needs }) => needs === 'nobody').map(({ id }) => id)).toEqual([
      'session.begin',
      'session.end',
    ])
  })

  test('says how long a session lasts, and how many there may be [V7.1.1] [V7.1.2]', () => {
    expect(access).toContain(
      `end after ${sessionIdleHours} hours without use and after ${sessionDays} days in any case`,
    )
    expect(access).toContain('There may be any number at once; their owner sees them and ends them one by one')
  })

  test('says of every permission what it opens [V8.1.1]', () => {
    const table = tableUnder('docs/security/access.md', 'Who may do what').flat().join(' ')
    const named = (code: string): string =>
      registry.some(({ name }) => (['VIEW', 'EDIT', 'DELETE'] as const).some((one) => permission(name, one) === code))
        ? `_${code.split('_').at(-1)}\``
        : `\`${code}\``
    for (const code of permissions) expect(table.replace('<RECORDS>_VIEW`', '_VIEW`'), code).toContain(named(code))
    for (const code of scopes) expect(permissions).toContain(code)
  })

  test('names the rights that single fields have [V8.1.2]', () => {
    for (const code of fieldPermissions) expect(access, code).toContain(`\`${code}\``)
  })
})

describe('docs/security/data.md', () => {
  const classes = tableUnder('docs/security/data.md', 'Classes')

  test('puts all that is kept into a class, and says of each how it is protected [V14.1.1] [V14.1.2]', () => {
    expect(classes.map(([name]) => name)).toEqual(['secret', 'personal', 'business', 'operational', 'public'])
    for (const [name, what, protection] of classes) expect([what, protection], name).not.toContain('')
    const of = (name: string): string => classes.find(([one]) => one === name)?.[1] ?? ''
    for (const { name, fields } of registry.filter(({ person }) => person)) {
      expect(of('personal'), name).toContain(name)
      expect(Object.values(fields).some(({ personal }) => personal)).toBe(true)
    }
    for (const kind of ['projects', 'estimates', 'invoices', 'contracts']) {
      expect(definitionOf(registry, kind)).toBeDefined()
      expect(of('business')).toContain(kind)
    }
    expect(tableUnder('docs/security/data.md', 'What is kept, and for how long').length).toBeGreaterThan(12)
  })

  test('says what is logged, at every level at which the program logs [V16.1.1]', () => {
    const levels = tableUnder('docs/security/data.md', 'What is logged').flatMap(([, level = '']) => level.split(', '))
    const used = linesWith('server/', /\blog\.(debug|info|warn|error|fatal)\(/).flatMap((line) =>
      [...line.matchAll(/\blog\.(\w+)\(/g)].map(([, level]) => level as string),
    )
    expect(new Set(used)).toEqual(new Set(levels))
  })
})

describe('docs/security/README.md', () => {
  test('says within which time a weakness of a dependency is mended [V15.1.1]', () => {
    const rows = tableUnder('docs/security/README.md', 'Dependencies')
    expect(rows.map(([, within]) => within)).toEqual(['48 hours', '7 days', '30 days', '30 days', '90 days'])
    expect(read('CONTRIBUTING.md')).toContain('`npm run audit`')
  })
})

describe('docs/security/limits.md', () => {
  test('names what is costly, what it costs and what bounds it [V15.1.3]', () => {
    const rows = tableUnder('docs/security/limits.md', 'What is costly')
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(row.map((cell) => cell.length > 3)).toEqual([true, true, true])
  })
})

describe('docs/security/hostile.json', () => {
  type Trial = {
    attack: string
    others: { asked: number; answered: number; failures: object }
    memory: { peak: number }
    bugs: number
  }
  const { trials, series }: { trials: Trial[]; series: Series } = JSON.parse(
    readFileSync(join(root, 'docs/security/hostile.json'), 'utf8'),
  )

  test('has every attack, and beside each of them every call of the others was answered (`trials[].others`) [V2.4.1]', () => {
    const names = attacks.map(({ name }) => name)
    expect(series.attacked.map(({ attack }) => attack)).toEqual(names)
    expect(trials.filter(({ attack }) => !names.includes(attack))).toEqual([])
    // An attack that is new has a trial of its own from the next measurement on.
    expect(names.length - trials.length).toBeLessThan(4)
    for (const { attack, others } of trials) {
      expect(others.asked, attack).toBeGreaterThan(500)
      expect(others, attack).toMatchObject({ answered: others.asked, failures: {} })
    }
  })

  test('has no attack that took a process beyond 512 MB or brought a 500 (`trials[].memory.peak`, `series.peakMegabytes`), and none that fills the disk (`series.kept`) [V15.2.2]', () => {
    for (const { attack, memory, bugs } of trials) {
      expect(memory.peak, attack).toBeLessThan(512)
      expect(bugs, attack).toBe(0)
    }
    expect(seriesVerdictOf(series)).toEqual([])
  })
})

describe('The document of the API', () => {
  test('says of each day that may not be before another one that it may not [V2.1.2]', () => {
    const pairs = registry.flatMap((definition) => {
      const days = Object.entries(definition.fields).flatMap(([name, { kind }]) => (kind === 'date' ? [name] : []))
      return days.flatMap((earlier) =>
        days.flatMap((later) => {
          const record = { ...emptyOf(definition.name), [earlier]: '2026-02-02', [later]: '2026-01-01' }
          const write = { before: null, found: {}, sums: {}, today: '2026-01-01' }
          const judged = { after: record, ...write, isChanged: () => true, isRefused: () => false }
          const problems = (definition.rules ?? []).map((rule) => rule(judged))
          return problems.flatMap((found) =>
            found?.code === 'date_order' ? [{ name: definition.name, field: found.field }] : [],
          )
        }),
      )
    })
    expect(pairs.length).toBeGreaterThan(2)
    for (const { name, field } of pairs)
      expect(definitionOf(registry, name)?.fields[field]?.about, `${name}.${field}`).toMatch(/not before/)
  })
})

const emptyOf = (name: string) =>
  Object.fromEntries(
    Object.entries(definitionOf(registry, name)?.fields ?? {}).map(([field, one]) => [
      field,
      kindOf(one).members ? [] : null,
    ]),
  )
