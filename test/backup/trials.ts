import { cp, mkdir, open, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { OpenApp } from '#server/app.ts'
import { BackupProblem } from '#server/backup/manifest.ts'
import { openBackup } from '#server/backup/read-backup.ts'
import { clusterFacts } from '#server/store/cluster-facts.ts'
import type { Progress } from '../../bench/progress.ts'
import { createStage, jsonOf, type Stage } from '../command/stage.ts'
import { pause } from '../stage/wait.ts'
import { count, type Figures, noFigures } from './figures.ts'
import { differences, type Load, placeOf, positionOf, startLoad } from './load.ts'
import { namesIn } from './restored.ts'

type Task = {
  rounds: number
  moments: number
  seconds: number
  before: Figures | undefined
  progress: Progress
  keep(figures: Figures): Promise<void>
}

type Ground = { stage: Stage; opened: OpenApp; settings: { [name: string]: string }; figures: Figures }

const archiveSeconds = 2

/** Trials until there are as many as asked for, or the time is over. The figures are kept after each. */
export async function tryAll({ rounds, moments, seconds, before, progress, keep }: Task): Promise<Figures> {
  const until = performance.now() + seconds * 1000
  const stage = await createStage()
  const settings = {
    PLUMBLINE_ARCHIVE: join(stage.folder, 'archive'),
    PLUMBLINE_ARCHIVE_SECONDS: String(archiveSeconds),
  }
  const opened = await stage.open(settings)
  try {
    const [facts] = await opened.app.database.read<{ version: string }>({
      text: "select current_setting('server_version') as version",
      values: [],
    })
    const figures =
      before ?? noFigures({ postgres: facts?.version ?? '', processors: availableParallelism() }, archiveSeconds)
    const ground = { stage, opened, settings, figures }
    await stage.give(['company', 'create', '--name', 'Quay'], settings)
    const isOver = (): boolean => performance.now() > until
    while (figures.backups.trials < rounds && !isOver()) {
      await tryBackup(ground)
      await keep(figures)
      progress.bar(`${figures.backups.trials} of ${rounds} backups`, figures.backups.trials, rounds)
    }
    while (figures.moments.trials < moments && !isOver()) {
      await tryMoments(ground, Math.min(5, moments - figures.moments.trials))
      await keep(figures)
      progress.bar(`${figures.moments.trials} of ${moments} moments`, figures.moments.trials, moments)
    }
    return figures
  } finally {
    await opened.close()
    await stage.clear()
  }
}

const startLoadOf = ({ opened }: Ground): Load => startLoad(opened.app, 1, 4, crypto.randomUUID())

async function tryBackup(ground: Ground): Promise<void> {
  const { stage, settings, figures } = ground
  const [to, data] = [join(stage.folder, 'backup'), join(stage.folder, 'restored')]
  const load = startLoadOf(ground)
  await pause(Math.random() * 500)
  const startedAt = performance.now()
  jsonOf(await stage.give(['backup', to, '--json'], settings))
  count(figures.backups.seconds, performance.now() - startedAt)
  const answered = await load.stop()
  await damage(ground, to)

  const restoredAt = performance.now()
  jsonOf(await stage.give(['restore', to, '--json'], { PLUMBLINE_DATA: data }))
  count(figures.backups.restoreSeconds, performance.now() - restoredAt)
  const { log, finished_at } = (await openBackup(to)).manifest
  const { names, torn } = await namesIn(data, 1)
  note(figures, 'backups', torn, {
    ...differences(answered, names, {
      has: ({ after }) => after.position <= positionOf(log.stop),
      lacks: ({ before }) => before.at > new Date(finished_at),
    }),
  })
  await Promise.all([to, data].map((path) => rm(path, { recursive: true })))
}

/** Moments of one stretch of load, each restored by itself. */
async function tryMoments(ground: Ground, most: number): Promise<void> {
  const { stage, opened, settings, figures } = ground
  const backup = join(stage.folder, 'base')
  jsonOf(await stage.give(['backup', backup, '--json'], settings))
  const load = startLoadOf(ground)
  const moments: Date[] = []
  for (let turn = 0; turn < most; turn++) {
    await pause(300 + Math.random() * 1000)
    moments.push((await placeOf(opened.app)).at)
    count(figures.loss.seconds, await timeUntilArchived(ground))
  }
  // One more write after the last moment: without one, PostgreSQL cannot know that it has come so far.
  await pause(200)
  const answered = await load.stop()
  await timeUntilArchived(ground)

  for (const moment of moments) {
    const data = join(stage.folder, 'moment')
    const given = ['restore', backup, '--to-time', moment.toISOString(), '--json']
    jsonOf(await stage.give(given, { ...settings, PLUMBLINE_DATA: data }))
    const { names, torn } = await namesIn(data, 1)
    const has = differences(answered, names, {
      has: ({ after }) => after.at < moment,
      lacks: ({ before }) => before.at > moment,
    })
    note(figures, 'moments', torn, has)
    await rm(data, { recursive: true })
  }
  await rm(backup, { recursive: true })
}

/** Milliseconds until what has been written by now is in the archive. */
async function timeUntilArchived({ opened }: Ground): Promise<number> {
  const { app, connection } = opened
  const since = performance.now()
  const { position: written } = await placeOf(app)
  for (;;) {
    const now = (await placeOf(app)).position
    const { behindBytes, failing } = await clusterFacts(connection)
    if (failing) throw new Error(`${failing.segment} could not be archived`)
    if (behindBytes !== null && now - BigInt(behindBytes) >= written) return performance.now() - since
    await pause(20)
  }
}

/** A copy that is damaged somewhere is refused by name, or was damaged where nothing is. */
async function damage({ stage, figures }: Ground, backup: string): Promise<void> {
  const [copy, aside] = [join(stage.folder, 'damaged'), join(stage.folder, 'aside')]
  await cp(backup, copy, { recursive: true })
  await mkdir(aside)
  const archive = await open(join(copy, 'cluster.tar'), 'r+')
  const { size } = await stat(join(copy, 'cluster.tar'))
  const place = Math.floor(Math.random() * size)
  try {
    if (Math.random() < 0.5) await archive.truncate(place)
    else {
      const { buffer } = await archive.read(Buffer.alloc(1), 0, 1, place)
      await archive.write(Buffer.from([(buffer[0] ?? 0) ^ (1 << Math.floor(Math.random() * 8))]), 0, 1, place)
    }
  } finally {
    await archive.close()
  }
  figures.damaged.trials++
  const outcome = await openBackup(copy)
    .then((opened) => opened.extract(aside))
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (outcome === undefined) figures.damaged.harmless++
  else if (outcome instanceof BackupProblem) figures.damaged.refused++
  else figures.failures.push(`damaged at ${place} of ${size}: ${String(outcome)}`)
  await Promise.all([copy, aside].map((path) => rm(path, { recursive: true })))
}

type TrialDifferences = ReturnType<typeof differences>

function note(
  figures: Figures,
  of: 'backups' | 'moments',
  torn: string[],
  { expected, lost, tooMuch }: TrialDifferences,
): void {
  const trials = figures[of]
  trials.trials++
  trials.writes += expected
  trials.lost += lost.length
  trials.tooMuch += tooMuch.length
  trials.torn += torn.length
  if (expected === 0) figures.failures.push(`trial ${trials.trials} of ${of} compared nothing`)
  for (const what of [...lost, ...tooMuch, ...torn].slice(0, 3))
    figures.failures.push(`${of} ${trials.trials}: ${what}`)
}
