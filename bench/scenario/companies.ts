import pg from 'pg'
import { permissions } from '#registry/permissions.ts'
import { addOns } from '#registry/subscription.ts'
import { operator } from '#server/records/actor.ts'
import { createAccount } from '#server/service/account.ts'
import { createCompany } from '#server/service/company.ts'
import { issueToken } from '#server/service/token.ts'
import { openDatabase } from '#server/store/database.ts'
import { oneKey, openSealed, sealedToken } from '#server/store/seal.ts'
import type { Connection } from '../postgres.ts'
import type { Progress } from '../progress.ts'

/** The key that seals the tokens of these companies, so that each process of a run can read them. */
export const sealingKey = 'what seals the tokens of the bench, worth nothing elsewhere'

/** Creates the companies 1, 2, 3 …, each with an account and a token, by the product's own services. */
export async function createCompanies(connection: Connection, count: number, progress: Progress): Promise<void> {
  const limits = { connectionsMax: 4, statementTimeout: 60_000, lockTimeout: 60_000, connectTimeout: 10_000 }
  const database = openDatabase(connection, limits, () => {})
  try {
    for (let number = 1; number <= count; number++) {
      await database.transaction(async (transaction) => {
        const company = await createCompany(transaction, {
          fields: { name: `Company ${number}` },
          plan: 'ENTERPRISE',
          addOns,
        })
        if (company.id !== number) throw new Error(`company ${number} was given the id ${company.id}`)
        const account = { name: 'Integrator', email: `bench${number}@example.com`, permissions }
        const { id } = await createAccount(transaction, number, account)
        await issueToken(transaction, operator(number), oneKey(sealingKey), {
          accountId: id,
          label: 'bench',
          scopes: 'all',
          allowlist: [],
        })
      })
      if (number % 50 === 0) progress.bar('companies', number, count)
    }
  } finally {
    await database.close()
  }
}

/** Reads the tokens by company. Index 0 is unused, because ids start at 1. */
export async function readTokens(connection: Connection): Promise<string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ company: number; id: number; sealed: Buffer }>(
      'select company_id::int as company, id::int as id, sealed from tokens order by company_id',
    )
    const tokens = ['']
    for (const { company, id, sealed } of rows)
      tokens[company] = await openSealed(oneKey(sealingKey), sealed, sealedToken.boundTo(company, id))
    return tokens
  } finally {
    await client.end()
  }
}
