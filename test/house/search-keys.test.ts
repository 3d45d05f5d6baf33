import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

type Pair = [text: string, word: string]

const foundation = readFileSync(join(import.meta.dirname, '../../migrations/0001-foundation.sql'), 'utf8')

/** Whether LIKE finds each word in its text, and whether the keys of the text hold those of the word. */
const judged = (pairs: readonly Pair[]) =>
  stage.sql<{ found: boolean; kept: boolean }>(
    `select folded(text) like containing(word) as found, search_keys(7, folded(text)) @> word_keys(7, word) as kept
    from unnest($1::text[], $2::text[]) with ordinality pairs (text, word, place) order by place`,
    pairs.map(([text]) => text),
    pairs.map(([, word]) => word),
  )

describe('The keys of a record hold those of every word that is in it', () => {
  const rows: { why: string; text: string; word: string }[] = [
    { why: 'a whole word', text: 'Mill Lane drainage', word: 'drainage' },
    { why: 'the middle of a word', text: 'Mill Lane drainage', word: 'aina' },
    { why: 'three characters', text: 'Mill Lane', word: 'ane' },
    { why: 'one character', text: 'Mill Lane', word: 'L' },
    { why: 'punctuation', text: 'P-00077/b (old)', word: '77/b' },
    { why: 'letters that are not Latin', text: 'Ремонт крыши', word: 'КРЫШ' },
    { why: 'a word that folds to several', text: 'about 1½ days', word: '1½' },
    {
      why: 'a seam between two pieces of a long word',
      text: `${'x'.repeat(39)}needle${'x'.repeat(40)}`,
      word: 'needle',
    },
  ]
  test.each(rows)('$why', async ({ text, word }) => {
    expect(await judged([[text, word]])).toEqual([{ found: true, kept: true }])
  })

  test('whatever the text and wherever the word is cut from it', async () => {
    const letters = fc.constantFrom(...'abcdeéßЖ½ﬁ-_%\\. ')
    const pair = fc
      .tuple(fc.string({ unit: letters, minLength: 1, maxLength: 120 }), fc.nat(), fc.integer({ min: 1, max: 50 }))
      .map(([text, at, length]): Pair => {
        const from = at % text.length
        return [text, text.slice(from, from + length).split(' ')[0] || 'a']
      })
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 50, maxLength: 50 }), async (pairs) => {
        for (const [place, { found, kept }] of (await judged(pairs)).entries()) {
          expect(!found || kept, JSON.stringify(pairs[place])).toBe(true)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('and they are those that older versions have stored in the indexes', async () => {
    const [older = ''] = /create function search_keys.*?\n {2}end;/s.exec(foundation) ?? []
    await stage.sql(older.replace('search_keys', 'older_keys'))
    const text = fc.string({ unit: fc.constantFrom(...'aé Ж½'), maxLength: 100 })
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 100, maxLength: 100 }), async (texts) => {
        const [row] = await stage.sql<{ differing: string[] }>(
          `select array(select text from unnest($1::text[]) text where search_keys(7, text) <> older_keys(7, text)) as differing`,
          [texts],
        )
        expect(row?.differing).toEqual([])
      }),
      { numRuns: 10 },
    )
  })

  test('and no company has those of another', async () => {
    const [row] = await stage.sql<{ shared: boolean }>(
      `select search_keys(7, 'mill lane') && search_keys(8, 'mill lane') as shared`,
    )
    expect(row?.shared).toBe(false)
  })
})
