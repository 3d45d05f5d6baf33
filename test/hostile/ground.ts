import { permissions } from '#registry/permissions.ts'
import { clients } from '#registry/resources/clients.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { createAccount } from '#server/service/account.ts'
import { openDatabase } from '#server/store/database.ts'
import type { Connection } from '../../bench/postgres.ts'
import { createProgress } from '../../bench/progress.ts'
import { createCompanies, readTokens } from '../../bench/scenario/companies.ts'
import type { Attack, Ground } from './attack.ts'
import { attacks } from './attacks/index.ts'

const [attacker, victim] = [1, 2]

/** An account for each attack: what throttles it after one attack is no business of the next. */
const emailAgainst = (attack: Attack): string => `polite.${attack.name}@example.com`

/** Where one attack is made. */
export const groundOf = (attack: Attack, ground: Ground, url: string): Ground => ({
  ...ground,
  url,
  victim: { ...ground.victim, email: emailAgainst(attack) },
})

const password = 'lantern-quay-4711-mortar'

/** Two companies in a migrated database, one to attack from and one that minds its own business; for `groundOf` to complete. */
export async function layGround(connection: Connection): Promise<Ground> {
  await createCompanies(connection, 2, createProgress({ write: () => {} }))
  const tokens = await readTokens(connection)
  const limits = { connectionsMax: 2, statementTimeout: 60_000, lockTimeout: 60_000, connectTimeout: 10_000 }
  const database = openDatabase(connection, limits, () => {})
  const ids: number[] = []
  try {
    await database.transaction(async (transaction) => {
      for (const attack of attacks.filter(({ othersSignIn }) => othersSignIn)) {
        const account = { name: 'Polite', email: emailAgainst(attack), password, permissions }
        await createAccount(transaction, victim, account)
      }
      for (const company of [attacker, victim]) {
        for (let count = 1; count <= 20; count++) {
          const { id } = await createRecord(transaction, operator(company), clients, { name: `Harbour Trust ${count}` })
          if (company === victim) ids.push(id)
        }
      }
    })
  } finally {
    await database.close()
  }
  return {
    url: '',
    attacker: { company: attacker, token: tokens[attacker] as string },
    victim: { company: victim, token: tokens[victim] as string, email: '', password, clients: ids },
  }
}
