import { describe, expect, test } from 'vitest'
import { busyBetween, busyTable } from '../../bench/cpu-profile.ts'
import { type Figures, median } from '../../bench/measure.ts'
import { barsPicture } from '../../bench/picture/bars.ts'
import { curvesPicture } from '../../bench/picture/curves.ts'
import { barLine, createProgress } from '../../bench/progress.ts'
import { failures, formatSpending, type ReportRow, tableOf, verdict } from '../../bench/report.ts'
import { formatNumber, table } from '../../bench/table.ts'
import { tableOf as writesTable } from '../../bench/writes/writes.ts'

const figures = (perSecond: number): Figures => ({
  perSecond,
  rounds: [perSecond],
  p50: 1.234,
  p99: 5.678,
  databaseMilliseconds: 0.05,
  databaseStatements: 1,
  cpuMicroseconds: 99.6,
  databaseCpuMicroseconds: null,
  cpuSeconds: 2.04,
  residentMegabytes: 120,
})

const row = (work: ReportRow['work'], product: number, floor?: number): ReportRow => ({
  work,
  records: 10_000,
  connections: 32,
  systems: { product: figures(product), ...(floor === undefined ? {} : { floor: figures(floor) }) },
})

const rows = [row('fetch', 900, 1000), row('not-modified', 890), row('list', 300, 1000), row('update', 500, 1000)]

describe('the verdict', () => {
  test.each([
    { work: 'fetch', expect: { ratio: 0.9, of: 'floor', asked: 0.8, met: true } },
    { work: 'not-modified', expect: { ratio: 890 / 900, of: 'fetch', asked: 1, met: false } },
    { work: 'list', expect: { ratio: 0.3, of: 'floor', asked: 0.8, met: false } },
    { work: 'update', expect: { ratio: 0.5, of: 'floor', asked: null, met: null } },
  ])('of $work', ({ work, expect: wanted }) => {
    expect(verdict(rows.find((one) => one.work === work) as ReportRow, rows)).toEqual(wanted)
  })

  test('is open where the other work was not measured', () => {
    const alone = row('not-modified', 890)
    expect(verdict(alone, [alone])).toMatchObject({ ratio: null, met: null })
  })
})

test('the table has a line for each work, product and floor beside each other', () => {
  const lines = tableOf(rows, rows, null).split('\n')
  expect(lines).toHaveLength(2 + rows.length)
  expect(lines[2]).toMatch(
    /^fetch +900 +1,000 +0\.90 +✓ ≥ 0\.80 +1\.23 \/ 1\.23 +5\.68 \/ 5\.68 +0\.050 \/ 0\.050 +100 \/ 100 +– \/ – +120 \/ 120$/,
  )
  expect(lines[3]).toMatch(/✗ ≥ 1\.00 of fetch/)
  expect(formatSpending(rows)).toBe('product 8.2 s, floor 6.1 s')
})

test('a work with a wrong answer has no figures, and says why', () => {
  const failed: ReportRow = {
    work: 'q',
    records: 10_000,
    connections: 32,
    systems: {},
    failed: 'expected 200, got 503',
  }
  expect(tableOf([failed], [failed], null)).toMatch(/\nq +– +– +–/)
  expect(failures([...rows, failed])).toBe('q has no figures. expected 200, got 503\n')
  expect(barsPicture([...rows, failed])).not.toMatch(/>q</)
})

test('another system has its own columns', () => {
  const three = [{ ...rows[0], systems: { ...rows[0]?.systems, other: figures(250) } } as ReportRow]
  expect(tableOf(three, three, 'other')).toMatch(/other\/s +to floor +p99 ms\n.*\nfetch .* 250 +0\.25 +5\.68$/)
})

test('columns are as wide as what stands in them', () => {
  expect(
    table(
      ['what', 'n'],
      [
        ['a', '1,000'],
        ['größer', '2'],
      ],
    ),
  ).toBe('what        n\n──────  ─────\na       1,000\ngrößer      2')
  expect([formatNumber(1234.5), formatNumber(0.1234, 2), formatNumber(null), formatNumber(Number.NaN)]).toEqual([
    '1,235',
    '0.12',
    '–',
    '–',
  ])
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5])
})

test('the pictures are well-formed, say what is measured and name no colour of a page', () => {
  const bars = barsPicture(rows)
  const curves = curvesPicture('Cost <of a call>', [
    {
      name: 'fetch',
      points: [
        { records: 1000, milliseconds: 0.04 },
        { records: 10_000, milliseconds: 0.05 },
      ],
    },
    {
      name: 'q',
      points: [
        { records: 1000, milliseconds: 0.4 },
        { records: 10_000, milliseconds: 17 },
      ],
    },
  ])
  for (const picture of [bars, curves]) {
    expect(picture).toMatch(/^<svg xmlns=.*<\/svg>\n$/s)
    expect(picture).not.toMatch(/NaN|undefined|Infinity|white|black|#fff|#000/)
    expect(picture.match(/<text/g)?.length).toBe(picture.match(/<\/text>/g)?.length)
  }
  expect(bars).toMatch(/900 of 1,000 = 0\.90/)
  expect(curves).toMatch(/Cost &lt;of a call&gt;/)
})

test('progress is one line on a terminal and every tenth elsewhere', () => {
  const written = (isTTY: boolean): string => {
    const lines: string[] = []
    const progress = createProgress({ isTTY, write: (line: string) => lines.push(line) })
    for (let done = 0; done <= 20; done++) progress.bar('records', done, 20)
    progress.end()
    return lines.join('')
  }
  expect(written(false).split('\n')).toHaveLength(12)
  expect(written(true)).not.toMatch(/\n/)
  expect(barLine('records', 1, 2)).toMatch(/^█{15}░{15} 50 % records$/)
})

test('a profile is read file by file, its start, its end and idle time left out', () => {
  const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber })
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('writev') },
      { id: 3, callFrame: frame('runRead', 'file:///house/server/pipeline/pipeline.ts', 20) },
      { id: 4, callFrame: frame('', 'file:///house/node_modules/pg/lib/client.js', 4) },
    ],
    startTime: 1000,
    samples: [3, 1, 2, 2, 3, 4, 3],
    timeDeltas: [100, 100, 100, 100, 100, 100, 100],
  }
  const busy = busyBetween(profile, 1200, 1600, '/house')
  expect(busy).toMatchObject({ milliseconds: 0.4, idleShare: 0.2 })
  expect(busy.files).toEqual([
    { file: '(runtime)', share: 0.5, functions: [{ name: 'writev', share: 0.5 }] },
    { file: 'server/pipeline/pipeline.ts', share: 0.25, functions: [{ name: 'runRead:21', share: 0.25 }] },
    { file: 'node_modules/pg/lib/client.js', share: 0.25, functions: [{ name: '(anonymous):5', share: 0.25 }] },
  ])
  expect(busyTable(busy, 2, busy.milliseconds)).toMatch(/\(runtime\) +50\.0 % +100\.0/)
})

test('a figure of writes stands beside what is asked of it, and says where it was not measured', () => {
  const findings = [
    { about: 'HOT', got: 0.91, asked: { least: 0.8 }, note: '2,000 updates' },
    { about: 'delete', got: 1.34, asked: { most: 1.2 }, note: '' },
    { about: 'beside the peer', got: null, asked: { least: 1.5 }, note: 'none (--peer FILE)' },
    { about: 'update, µs', got: 412.4, asked: null, note: '' },
  ]
  const [, , ...lines] = writesTable(findings).split('\n')
  expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual([
    'HOT 0.91 ✓ ≥ 0.8 2,000 updates',
    'delete 1.34 ✗ ≤ 1.2',
    'beside the peer – ≥ 1.5 none (--peer FILE)',
    'update, µs 412',
  ])
})
