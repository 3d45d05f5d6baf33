import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSuperuser } from '#server/embedded/access.ts'
import { startServer } from '#server/embedded/cluster.ts'
import { findLocation } from '#server/embedded/location.ts'
import { openEmbedded } from '#server/embedded/open.ts'
import { findMachine, findPrograms } from '#server/embedded/programs.ts'
import type { Settings } from '#server/embedded/settings.ts'
import type { Server } from './postgres.ts'

/** Opens a bundled PostgreSQL in a new folder with these settings, after a superuser has run the statements. */
export async function openOwnServer(
  settings: Settings,
  statements: readonly string[] = [],
): Promise<{ server: Server; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-server-'))
  // Started by root, PostgreSQL runs as somebody else, who has to reach it here.
  await chmod(folder, 0o711)
  await (await openEmbedded({ folder })).close()
  if (statements.length > 0) await asSuperuser(folder, statements.join('\n'))
  const machine = findMachine()
  const location = await findLocation(folder, machine.shared, null)
  await startServer(await findPrograms(machine, location, () => undefined), location, undefined, settings)
  const { connection, close } = await openEmbedded({ folder })
  return {
    server: connection,
    async close() {
      await close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
