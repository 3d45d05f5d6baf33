import type { CompanyRow } from '#sql/system/companies.ts'
import type { App } from '../app.ts'
import { type OpenApp, openApp } from '../app.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type Actor, operator } from '../service/actor.ts'
import { showCompany } from '../service/company.ts'
import type { Transaction } from '../store/database.ts'
import { needDatabase } from './data-folder.ts'
import { inLine } from './printable.ts'
import { type Progress, progressOf } from './progress.ts'
import type { CommandContext } from './terminal.ts'

/** The settings of a command that says what it did itself: its log is silent unless asked for. */
export const configOf = ({ environment }: CommandContext): Config =>
  readConfig({ ...environment, LOG_LEVEL: environment.LOG_LEVEL?.trim() || 'silent' })

/** Opens the app for as long as `work` takes: beside a running server, or all alone. */
export async function withApp<T>(
  config: Config,
  progress: Progress,
  work: (opened: OpenApp) => Promise<T>,
): Promise<T> {
  try {
    const opened = await openApp(config, progress.tell)
    progress.end()
    try {
      return await work(opened)
    } finally {
      await opened.close()
    }
  } finally {
    progress.end()
  }
}

/** All that a command does is one transaction. */
export const inTransaction = <T>(
  context: CommandContext,
  work: (transaction: Transaction, app: App) => Promise<T>,
): Promise<T> =>
  withApp(configOf(context), progressOf(context), ({ app }) =>
    app.database.transaction((transaction) => work(transaction, app)),
  )

export type InCompany = { transaction: Transaction; app: App; company: CompanyRow; actor: Actor }

/** The same for a company, which must be there. */
export async function inCompany<T>(
  context: CommandContext,
  id: number,
  work: (inside: InCompany) => Promise<T>,
): Promise<T> {
  await needDatabase(configOf(context))
  return inTransaction(context, async (transaction, app) =>
    work({ transaction, app, company: await showCompany(transaction, id), actor: operator(id) }),
  )
}

export const named = ({ id, name }: { id: number; name: string }): string => `${inLine(name)} (company ${id})`
