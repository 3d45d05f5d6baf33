import type { Layout } from '../scenario/layout.ts'
import { type FreshService, measureCalls, run, settle } from './calls.ts'
import { freshLayout } from './place.ts'
import type { FreshWork, WorkResult } from './works.ts'

/** An automatic analyze of the table of projects: its time and the number of records. */
export type Autoanalyze = { seconds: number; records: number }

export type Step = { records: number; seconds: number; works: WorkResult[] }

export type GrowthResult = {
  steps: Step[]
  /** The rates of creates on the way. */
  way: { records: number; perSecond: number }[]
  autoanalyzes: Autoanalyze[]
}

export type Task = {
  asked: FreshService
  works: readonly FreshWork[]
  sizes: readonly number[]
  milliseconds: number
  tell: (about: string, records: number) => void
}

/** Length of one stretch of creates. Short, so that a size is exceeded by little. */
const stretchMilliseconds = 1000
const firstStretchMilliseconds = 200
/** Time until the engine has compiled the code of a work, and PostgreSQL has reported the counts of the one before. */
const warmUpMilliseconds = 700
/** Warm-up time of creates, which are measured first. */
const firstWarmUpMilliseconds = 2000

/** Grows from nothing to the largest size by keyed creates. Measures every work at each size. */
export async function grow({ asked, works, sizes, milliseconds, tell }: Task): Promise<GrowthResult> {
  const startedAt = performance.now()
  const grown: GrowthResult = { steps: [], way: [], autoanalyzes: [] }
  const seconds = (): number => (performance.now() - startedAt) / 1000
  let made = 0
  let perSecond = 0

  const look = async (): Promise<void> => {
    const { count } = await asked.statistics.analysed()
    while (grown.autoanalyzes.length < count) grown.autoanalyzes.push({ seconds: seconds(), records: made })
  }
  const create = async (layout: Layout, wanted: number): Promise<void> => {
    const most = perSecond === 0 ? firstStretchMilliseconds : Math.min(stretchMilliseconds, (wanted / perSecond) * 1000)
    const outcome = await run(asked, layout, 'create-keyed', most)
    made += outcome.answers
    perSecond = outcome.perSecond
    grown.way.push({ records: made, perSecond })
    await look()
  }

  const measured = async (layout: Layout, work: FreshWork, duration: number): Promise<WorkResult> => {
    tell(work, made)
    const { answers, ...figures } = await measureCalls(asked, layout, work, duration)
    if (work === 'create-keyed') made += answers
    await look()
    return figures
  }

  tell('warming up', 0)
  await run(asked, freshLayout(sizes[0] as number), 'create', firstWarmUpMilliseconds)
  for (const records of sizes) {
    const layout = freshLayout(records)
    const creates = works.includes('create-keyed')
    const measuredLast = (): number =>
      creates ? Math.min((perSecond * milliseconds) / 1000, (records - made) / 2) + asked.connections : 0
    while (made < records - measuredLast()) {
      tell('growing', made)
      await create(layout, records - measuredLast() - made)
    }
    made += await settle(asked, layout, 'create-keyed')
    const step: Step = { records, seconds: 0, works: [] }
    if (creates) {
      const left = (Math.max(0, records - made) / perSecond) * 1000
      step.works.push(await measured(layout, 'create-keyed', left))
      // No record may be missing, because reads choose any record up to this size.
      while (made < records) {
        await create(layout, records - made)
        made += await settle(asked, layout, 'create-keyed')
      }
    }
    for (const work of works.filter((one) => one !== 'create-keyed')) {
      await run(asked, layout, work, warmUpMilliseconds)
      await settle(asked, layout, work)
      step.works.push(await measured(layout, work, milliseconds))
    }
    grown.steps.push({ ...step, seconds: seconds() })
  }
  return grown
}

/** Measures the same works on a loaded and analysed database. */
export async function measureLoaded({ asked, works, milliseconds }: Omit<Task, 'sizes' | 'tell'>, records: number) {
  const layout = freshLayout(records)
  // Creates are last, because they make the database grow.
  const inOrder = works.toSorted((one, other) => Number(one === 'create-keyed') - Number(other === 'create-keyed'))
  const done: WorkResult[] = []
  for (const work of inOrder) {
    await run(asked, layout, work, warmUpMilliseconds)
    await settle(asked, layout, work)
    const { answers, ...figures } = await measureCalls(asked, layout, work, milliseconds)
    done.push(figures)
  }
  return done
}
