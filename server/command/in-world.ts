import type { CompanyRow } from '#sql/system/companies.ts'
import type { World } from '../app.ts'
import { type OpenWorld, openWorld } from '../app.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type Actor, operator } from '../service/actor.ts'
import { showCompany } from '../service/company.ts'
import type { Transaction } from '../store/database.ts'
import { needDatabase } from './data-folder.ts'
import { inLine } from './printable.ts'
import { type Progress, progressOf } from './progress.ts'
import type { Desk } from './terminal.ts'

/** The settings of a command that says what it did itself: its log is silent unless asked for. */
export const configOf = ({ environment }: Desk): Config =>
  readConfig({ ...environment, LOG_LEVEL: environment.LOG_LEVEL?.trim() || 'silent' })

/** Opens the world for as long as `work` takes: beside a running server, or all alone. */
export async function inWorld<T>(
  config: Config,
  progress: Progress,
  work: (opened: OpenWorld) => Promise<T>,
): Promise<T> {
  try {
    const opened = await openWorld(config, progress.tell)
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
  desk: Desk,
  work: (transaction: Transaction, world: World) => Promise<T>,
): Promise<T> =>
  inWorld(configOf(desk), progressOf(desk), ({ world }) =>
    world.database.transaction((transaction) => work(transaction, world)),
  )

export type InCompany = { transaction: Transaction; world: World; company: CompanyRow; actor: Actor }

/** The same for a company, which must be there. */
export async function inCompany<T>(desk: Desk, id: number, work: (inside: InCompany) => Promise<T>): Promise<T> {
  await needDatabase(configOf(desk))
  return inTransaction(desk, async (transaction, world) =>
    work({ transaction, world, company: await showCompany(transaction, id), actor: operator(id) }),
  )
}

export const named = ({ id, name }: { id: number; name: string }): string => `${inLine(name)} (company ${id})`
