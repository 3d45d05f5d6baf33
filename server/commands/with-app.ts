import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inLine } from '#derive/format-printable.ts'
import { type App, findDatabase, type OpenApp, openApp } from '../app.ts'
import { type Config, readConfig } from '../config/config.ts'
import { EmbeddedProblem } from '../embedded/open.ts'
import type { StartMetrics } from '../metrics.ts'
import { type Actor, operator } from '../records/actor.ts'
import { type Company, showCompany } from '../service/company.ts'
import type { Transaction } from '../store/database.ts'
import { Mistake } from './mistake.ts'
import { type Progress, progressOf } from './progress.ts'
import { type ConfirmOptions, confirm, needsConfirmation } from './stdin.ts'
import type { CommandContext, CommandResult } from './terminal.ts'

/** Returns the settings of a command. Its log is silent unless LOG_LEVEL is set, because it prints its own result. */
export const configOf = ({ environment }: CommandContext): Config =>
  readConfig({ ...environment, LOG_LEVEL: environment.LOG_LEVEL?.trim() || 'silent' })

/** Opens the app while `work` runs, beside a running server or alone. */
export const withApp = <T>(context: CommandContext, work: (opened: OpenApp) => Promise<T>): Promise<T> =>
  withAppOf(configOf(context), progressOf(context), work)

/** Opens the app with other settings and another progress, and with metrics if it serves. */
export async function withAppOf<T>(
  config: Config,
  progress: Progress,
  work: (opened: OpenApp) => Promise<T>,
  measure?: StartMetrics,
): Promise<T> {
  const opened = await openApp(config, progress.tell, measure).catch(throwUnavailable).finally(progress.end)
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

/** Throws a bundled PostgreSQL that cannot be opened as a database that is unavailable. */
function throwUnavailable(error: unknown): never {
  throw error instanceof EmbeddedProblem ? new Mistake(error.message, 'unavailable', { cause: error }) : error
}

/** Opens the app for a command about an existing company. Throws if there is no database yet. */
export async function withExisting<T>(context: CommandContext, work: (opened: OpenApp) => Promise<T>): Promise<T> {
  await needDatabase(configOf(context))
  return withApp(context, work)
}

/** Opens the app for a command about one company, in several transactions. Throws if there is no such company. */
export const withCompany = <T>(context: CommandContext, id: number, work: (app: App, company: Company) => Promise<T>) =>
  withExisting(context, async ({ app }) =>
    work(app, await app.database.transaction((transaction) => showCompany(transaction, id))),
  )

/** Opens the database while `work` runs. Its tables may be of any version. */
export async function withDatabase<T>(
  context: CommandContext,
  work: (found: Awaited<ReturnType<typeof findDatabase>>, tell: Progress['tell']) => Promise<T>,
): Promise<T> {
  const { tell, end } = progressOf(context)
  const found = await findDatabase(configOf(context), tell).catch(throwUnavailable).finally(end)
  try {
    return await work(found, tell)
  } finally {
    end()
    await found.leave()
  }
}

/** Runs all work of a command in one transaction. A persistent one is retried if it has waited for a lock in vain. */
export const inTransaction = <T>(
  context: CommandContext,
  work: (transaction: Transaction) => Promise<T>,
  options: { isPersistent?: boolean } = {},
): Promise<T> => withApp(context, ({ app }) => app.database.transaction(work, undefined, options))

export type CompanyContext = { transaction: Transaction; app: App; company: Company; actor: Actor }

/** The sentence of a confirmation, with the `--yes` that skips it. */
type Confirmation = { yes: ConfirmOptions; what(inside: CompanyContext): Promise<string> }

/** The company of a command. A revocation is retried if it has waited for a lock in vain. */
export type CompanyRequest = { company: number; isRevocation?: boolean; confirmation?: Confirmation }

/** Runs one transaction for an existing company and prints its result. Asks for confirmation first, on a terminal. */
export async function sayOf(
  context: CommandContext,
  { company: id, isRevocation = false, confirmation }: CompanyRequest,
  work: (inside: CompanyContext) => Promise<CommandResult>,
): Promise<void> {
  const answer = await withExisting(context, async ({ app }) => {
    const inCompany = <T>(part: (inside: CompanyContext) => Promise<T>): Promise<T> =>
      app.database.transaction(
        async (transaction) =>
          part({ transaction, app, company: await showCompany(transaction, id), actor: operator(id) }),
        undefined,
        { isPersistent: isRevocation },
      )
    // The question has a transaction of its own, so that no lock is held while it waits for an answer.
    if (confirmation && needsConfirmation(context, confirmation.yes))
      await confirm(context, await inCompany(confirmation.what))
    return inCompany(work)
  })
  context.say(answer)
}

export const formatCompanyName = ({ id, name }: { id: number; name: string }): string =>
  `${inLine(name)} (company ${id})`

/**
 * Throws if there is no database yet. A command about an existing company, run in the wrong folder, would otherwise
 * create an empty database there, and then find no such company.
 */
export async function needDatabase(config: Config): Promise<void> {
  if (await hasDatabase(config)) return
  const folder = resolve(config.dataFolder)
  throw new Mistake(
    `There is no database in ${folder}: go to the folder that the server was started in, or set PLUMBLINE_DATA or DATABASE_URL as it has them; "plumbline company create" makes a new one.`,
    'not_found',
  )
}

/** Returns whether there is a database already, as far as that is known without starting anything. */
export async function hasDatabase({ databaseUrl, dataFolder }: Config): Promise<boolean> {
  if (databaseUrl !== null) return true
  // The cluster, or root's pointer file to it.
  const signs = ['postgres/cluster', 'postgres-is-elsewhere.txt'].map((name) => isThere(join(dataFolder, name)))
  return (await Promise.all(signs)).includes(true)
}

/** Returns whether a path exists. True for one without access, because opening it reports the reason. */
const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
