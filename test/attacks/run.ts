import type { Route } from '#derive/routes.ts'
import type { Handlers } from '#server/pipeline/handler.ts'
import type { Server } from '../stage/postgres.ts'
import { attackCompany } from './companies.ts'
import { openGround } from './ground.ts'
import { openReport, type Report } from './report.ts'
import { attackRights, type Form, type Surface } from './rights.ts'

export const parts = ['rights', 'companies'] as const
export type Part = (typeof parts)[number]

type Attacking = {
  form: Form
  parts?: readonly Part[]
  surface?: Surface
  made?: { routes: readonly Route[]; handlers: Handlers }
}

/** Attacks a service of its own on a migrated database, and reports what it found. */
export async function attack(
  server: Server,
  { form, parts: chosen = parts, surface, made }: Attacking,
): Promise<Report> {
  const ground = await openGround(server, made)
  const report = openReport()
  try {
    const [mine, theirs] = [await ground.company(), await ground.company()]
    if (chosen.includes('rights')) await attackRights(ground, mine, report, { form, ...(surface ? { surface } : {}) })
    if (chosen.includes('companies')) {
      await attackCompany(ground, [mine, theirs], report, surface)
      if (form === 'long') {
        const third = await ground.company()
        for (const pair of [
          [theirs, mine],
          [third, mine],
          [mine, third],
        ] as const)
          await attackCompany(ground, pair, report, surface)
      }
    }
    return report
  } catch (error) {
    // A service that let a call through may have lost the token or the session that the next calls need.
    if (report.findings.length === 0) throw error
    report.endedBy = (error as Error).message
    return report
  } finally {
    await ground.close()
  }
}
