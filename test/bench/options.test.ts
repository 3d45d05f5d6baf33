import { describe, expect, test } from 'vitest'
import { readOptions } from '../../bench/options.ts'
import { workNames } from '../../bench/works.ts'

describe('what a run is asked to do', () => {
  test('everything, unless told otherwise', () => {
    expect(readOptions([])).toEqual({
      help: false,
      about: 'works',
      profileFloor: false,
      works: workNames,
      records: [10_000, 1_000_000],
      connections: [1, 32, 128],
      rounds: 5,
      seconds: 2,
      minutes: 60,
      rate: null,
      processes: [1, 2],
      against: null,
      peer: null,
      output: null,
    })
  })

  test.each([
    { words: ['--quick'], expect: { records: [10_000], connections: [32], rounds: 3, seconds: 1 } },
    { words: ['--quick', '--rounds', '1', '--seconds', '0.5'], expect: { records: [10_000], rounds: 1, seconds: 0.5 } },
    {
      words: ['--only', 'list,fetch', '--connections', '8,16'],
      expect: { works: ['list', 'fetch'], connections: [8, 16] },
    },
    { words: ['--growth'], expect: { about: 'growth', records: [1000, 10_000, 100_000, 1_000_000] } },
    { words: ['--growth', '--quick'], expect: { about: 'growth', records: [1000, 10_000] } },
    {
      words: ['--fresh'],
      expect: { about: 'fresh', records: [1000, 2000, 5000, 10_000, 20_000, 50_000], connections: [32], seconds: 1 },
    },
    { words: ['--fresh', '--records', '1000,5000'], expect: { about: 'fresh', records: [1000, 5000] } },
    {
      words: ['--profile'],
      expect: { about: 'profile', records: [10_000], works: ['fetch', 'list', 'create-keyed'], connections: [32] },
    },
    { words: ['--pressure'], expect: { about: 'pressure', records: [10_000], connections: [32], seconds: 10 } },
    {
      words: ['--endurance', '--minutes', '8', '--rate', '300'],
      expect: { about: 'endurance', minutes: 8, rate: 300 },
    },
    { words: ['--writes', '--peer', './pocketbase'], expect: { about: 'writes', peer: './pocketbase', rounds: 5 } },
    { words: ['--processes', '1,2,4'], expect: { about: 'processes', works: ['fetch', 'list'], processes: [1, 2, 4] } },
    {
      words: ['--against', 'http://localhost:8080/', '--adapter', 'other.ts'],
      expect: { against: { url: 'http://localhost:8080', adapter: 'other.ts' } },
    },
  ])('$words', ({ words, expect: part }) => {
    expect(readOptions(words)).toMatchObject(part)
  })

  test.each([
    { words: ['--fast'], says: /Unknown option '--fast'.*--help/ },
    { words: ['--only', 'fetch,lists'], says: /"lists"; there are fetch, / },
    { words: ['--connections', '0'], says: /--connections must be whole numbers from 1/ },
    { words: ['--rounds', 'many'], says: /--rounds must be a number from 1 to 1000/ },
    { words: ['--growth', '--profile'], says: /--profile and --growth are several runs/ },
    { words: ['--fresh', '--growth'], says: /--growth and --fresh are several runs/ },
    { words: ['--plans', '--growth'], says: /--growth and --plans are several runs/ },
    { words: ['--against', 'http://localhost:8080'], says: /belong together/ },
    { words: ['--against', 'http://example.com', '--adapter', 'other.ts'], says: /of this machine/ },
  ])('$words is refused with a sentence', ({ words, says }) => {
    expect(() => readOptions(words)).toThrow(says)
  })
})
