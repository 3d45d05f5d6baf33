import type { PhaseResult } from '../load/tally.ts'
import { countUp } from '../measure.ts'
import type { Options } from '../options.ts'
import { startGenerator } from '../processes.ts'
import { openStage } from '../stage.ts'
import { inSurroundings, machine, writeFigures } from '../surroundings.ts'
import { formatNumber } from '../table.ts'
import { usageOf } from '../usage.ts'
import { openHeap } from './heap.ts'
import { createMixedRun, peakOf } from './peak.ts'
import { lineOf, type Sample, samplesPicture, trendsOf, trendTable } from './samples.ts'

const minute = 60_000

/** Runs a steady load for a long time. A leak shows in the resident memory. */
export const endurance = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const { postgres, progress, onLeave } = surroundings
    const on = await machine(postgres)
    const [records = 10_000] = options.records
    const stage = await openStage({ ...surroundings, product: { node: ['--inspect=127.0.0.1:0'] } }, records)
    onLeave(stage.close)
    const { server } = stage.product
    const heap = await openHeap(server)
    onLeave(async () => heap.close())
    const generator = startGenerator()
    onLeave(async () => generator.stop())
    const pressed = { generator, about: stage.about, product: stage.product, numbers: countUp() }

    if (options.rate === null) progress.say('Finding the peak …')
    const perSecond = options.rate ?? (await peakOf(options, pressed)) / 2
    progress.end()
    process.stdout.write(
      `${formatNumber(perSecond)} requests a second of the mix, for ${formatNumber(options.minutes)} minutes\n\n`,
    )

    const startedAt = performance.now()
    const samples: Sample[] = []
    const sample = async (met?: PhaseResult): Promise<void> => {
      const [row] = await postgres.sql<{ bytes: number }>('select pg_database_size($1)::float8 as bytes', [
        stage.database,
      ])
      const heapMegabytes = await heap.megabytes()
      const resident = server.pid === undefined ? undefined : usageOf(server.pid)?.residentBytes
      const { answered = 0, turnedAway = 0, p50 = 0, p99 = 0 } = met ?? {}
      const taken: Sample = {
        minutes: (performance.now() - startedAt) / minute,
        residentMegabytes: (resident ?? 0) / 2 ** 20,
        databaseMegabytes: (row?.bytes ?? 0) / 2 ** 20,
        ...{ heapMegabytes, answered, turnedAway, p50, p99 },
      }
      samples.push(taken)
      process.stdout.write(`${lineOf(taken)}\n`)
    }
    await sample()
    for (let done = 0; done < options.minutes; done++) {
      const { phases } = await generator.pour({
        ...createMixedRun(pressed),
        phases: [{ perSecond, milliseconds: minute }],
      })
      await sample(phases[0])
    }

    const trends = trendsOf(samples)
    const figures = { at: new Date().toISOString(), machine: on, records, perSecond, samples, trends }
    const title = `${formatNumber(perSecond)} requests a second for ${formatNumber(options.minutes)} minutes`
    const picture = samplesPicture(title, samples)
    process.stdout.write(
      `\n${trendTable(trends)}\n\n${await writeFigures(options, { name: 'endurance', figures, picture })}`,
    )
  })
