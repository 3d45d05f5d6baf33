import { registry } from '#registry/resources/index.ts'
import {
  type DemoCompanyRow,
  type DemoUseRow,
  deleteCompany,
  demoCompanies,
  holdCompany,
  insertDemoRemoval,
  lockDemo,
  tablesOfCompanies,
  useOfDemo,
} from '#sql/system/demo.ts'
import type { Transaction } from '../store/database.ts'

/** A demo company, its records, and the accounts and records that others added: somebody may work there. */
export type DemoUse = DemoCompanyRow & DemoUseRow

export async function lookAtDemo(transaction: Transaction): Promise<DemoUse[]> {
  const uses: DemoUse[] = []
  for (const { id, name } of await transaction.run<DemoCompanyRow>(demoCompanies())) {
    const [use] = await transaction.run<DemoUseRow>(useOfDemo(id, resources))
    if (use) uses.push({ id, name, ...use })
  }
  return uses
}

/**
 * Removes the demo companies with all their rows, unless `mayGo` throws. `mayGo` gets the counts when nobody can add
 * anything any more. No later start adds the demo again by itself.
 */
export async function removeDemo(transaction: Transaction, mayGo: (uses: readonly DemoUse[]) => void) {
  await transaction.run(lockDemo())
  for (const { id } of await transaction.run<DemoCompanyRow>(demoCompanies())) await transaction.run(holdCompany(id))
  const uses = await lookAtDemo(transaction)
  mayGo(uses)
  if (uses.length === 0) return uses
  const tables = (await transaction.run<{ table: string }>(tablesOfCompanies())).map(({ table }) => table)
  for (const { id } of uses) await transaction.run(deleteCompany(id, tables))
  await transaction.run(insertDemoRemoval())
  return uses
}

const resources = registry.map(({ name }) => name)
