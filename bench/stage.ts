import { join } from 'node:path'
import type { Adapter, RunTarget } from './adapter.ts'
import type { System } from './measure.ts'
import { type Postgres, urlOf } from './postgres.ts'
import { BenchProblem } from './problem.ts'
import { type Server, type Start, startFloor, startProduct } from './processes.ts'
import type { Progress } from './progress.ts'
import { readTokens } from './scenario/companies.ts'
import { companyCount, layoutOf } from './scenario/layout.ts'
import { freshCopy } from './scenario/load.ts'

/** A database of one size with its servers. */
export type Stage = {
  database: string
  about: Omit<RunTarget, 'url'>
  product: System
  floor: System
  close(): Promise<void>
}

export type Fixtures = { postgres: Postgres; progress: Progress; product?: Start; floor?: Start }

export async function openStage(
  { postgres, progress, ...starts }: Fixtures,
  records: number,
  companies = companyCount,
): Promise<Stage> {
  const database = await freshCopy(postgres, records, companies, progress)
  const url = urlOf(postgres.connection(database))
  const about = { layout: layoutOf(records, companies), tokens: await readTokens(postgres.connection(database)) }
  progress.say('Starting product and floor …')
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    for (const server of servers) await server.stop()
    await postgres.sql(`drop database if exists ${database} with (force)`)
  }
  try {
    servers.push(await startProduct(url, starts.product))
    servers.push(await startFloor(url, starts.floor))
    const [product, floor] = servers as [Server, Server]
    return {
      database,
      about,
      product: await systemOf('product', product, join(import.meta.dirname, 'adapters/product.ts')),
      floor: await systemOf('floor', floor, join(import.meta.dirname, 'adapters/floor.ts')),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export async function systemOf(name: string, server: Server, adapterFile: string): Promise<System> {
  const { adapter } = (await import(adapterFile).catch((error: Error) => {
    throw new BenchProblem(`${adapterFile} cannot be read as an adapter: ${error.message}`)
  })) as { adapter?: Adapter }
  if (!adapter) throw new BenchProblem(`${adapterFile} exports no "adapter"; see bench/README.md.`)
  return { name, server, adapter, adapterFile }
}
