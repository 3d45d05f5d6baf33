import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { busyBetween, busyTable, type CpuProfile } from './cpu-profile.ts'
import type { Options } from './options.ts'
import { dataFolder } from './postgres.ts'
import { profileStart, startGenerator } from './processes.ts'
import { openStage } from './stage.ts'
import { inSurroundings, type Surroundings } from './surroundings.ts'
import { formatNumber } from './table.ts'
import type { WorkName } from './works.ts'

/** Shows the processor time of the product by files, or of the floor, which every server needs. */
export const profile = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    for (const records of options.records) {
      for (const work of options.works) {
        for (const connections of options.connections)
          await profileOf(options, surroundings, options.profileFloor ? 'floor' : 'product', records, work, connections)
      }
    }
  })

const warmUpMilliseconds = 1500

async function profileOf(
  { seconds, output }: Options,
  surroundings: Surroundings,
  system: 'product' | 'floor',
  records: number,
  work: WorkName,
  connections: number,
): Promise<void> {
  const { progress, onLeave } = surroundings
  const folder = await folderFor(output, `${system}-${work}`)
  const stage = await openStage({ ...surroundings, [system]: profileStart(folder) }, records)
  onLeave(stage.close)
  const generator = startGenerator()
  const { adapterFile, server } = stage[system]
  const run = (number: number, milliseconds: number) =>
    generator.run({
      ...{ work, connections, number, milliseconds },
      ...{ adapter: adapterFile, about: { ...stage.about, url: server.url } },
    })
  progress.say(`${work}: warming up, then ${seconds} s under load …`)
  await run(1, warmUpMilliseconds)
  const from = microseconds()
  const { answers, perSecond } = await run(2, seconds * 1000)
  const to = microseconds()
  generator.stop()
  await stage.close()

  const busy = busyBetween(await readProfile(folder), from, to, resolve(import.meta.dirname, '..'))
  progress.end()
  process.stdout.write(
    `\n${work}, ${formatNumber(records)} records, ${connections} connections: ${formatNumber(perSecond)} requests a second, ` +
      `${formatNumber((busy.milliseconds * 1000) / answers)} µs of the ${system}'s thread for each, idle ${formatNumber(100 * busy.idleShare)} %\n\n` +
      `${busyTable(busy, answers, busy.milliseconds)}\n\nThe whole profile, for a browser's developer tools: ${relative(process.cwd(), folder)}\n`,
  )
}

async function folderFor(output: string | null, name: string): Promise<string> {
  const parent = resolve(output ?? join(dataFolder, 'profiles'))
  await mkdir(parent, { recursive: true })
  return mkdtemp(join(parent, `${name}-`))
}

async function readProfile(folder: string): Promise<CpuProfile> {
  const file = (await readdir(folder)).find((name) => name.endsWith('.cpuprofile'))
  if (!file) throw new Error(`there is no profile in ${folder}`)
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile
}

/** Returns the time of the profile's clock. */
const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)
