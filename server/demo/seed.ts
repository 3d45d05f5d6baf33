import { type AccountRow, accountByName, type CompanyRow, demoCompanies, lockDemo } from '#derive/queries/office.ts'
import { Refusal } from '#registry/refusals.ts'
import { operator } from '../service/actor.ts'
import { showToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import type { World } from '../world.ts'
import { makeHarbor } from './harbor.ts'
import { makeHilltop } from './hilltop.ts'
import { demoOwners } from './people.ts'

/** The two companies that show what there is to see, and how to get in. */
export type DemoStory = {
  /** It was made by this call. */
  isNew: boolean
  companies: DemoCompany[]
}

export type DemoCompany = {
  id: number
  name: string
  owner: { id: number | null; name: string; email: string; password: string }
  /** Null where it was revoked, or sealed with a key that we do not have. */
  token: string | null
}

/**
 * The demo story of this database, made where it is missing: whole or not at all, and once, however many servers start
 * at the same moment.
 */
export async function seedDemo(world: World): Promise<DemoStory> {
  const there = await world.database.read<CompanyRow>(demoCompanies())
  if (there.length > 0) return world.database.transaction((transaction) => tell(transaction, world, there, false))
  return world.database.transaction(async (transaction) => {
    await transaction.run(lockDemo())
    const meanwhile = await transaction.run<CompanyRow>(demoCompanies())
    if (meanwhile.length > 0) return tell(transaction, world, meanwhile, false)
    const harbor = await makeHarbor(transaction, world)
    const hilltop = await makeHilltop(transaction, world)
    return tell(transaction, world, [harbor, hilltop], true)
  })
}

/** The companies are made in the order of their owners. */
async function tell(
  transaction: Transaction,
  { secret }: World,
  rows: readonly CompanyRow[],
  isNew: boolean,
): Promise<DemoStory> {
  const companies: DemoCompany[] = []
  for (const [index, { id, name }] of rows.entries()) {
    const owner = demoOwners[index]
    if (!owner) break
    const [account] = await transaction.run<AccountRow>(accountByName(id, owner.name))
    companies.push({
      id,
      name,
      owner: { id: account?.id ?? null, ...owner },
      token: await tokenOf(transaction, id, secret),
    })
  }
  return { isNew, companies }
}

async function tokenOf(transaction: Transaction, companyId: number, secret: string): Promise<string | null> {
  try {
    return (await showToken(transaction, operator(companyId), secret)).token
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
