import type { MigrationBuilder } from 'node-pg-migrate'
import { replaceIndex } from '#server/store/concurrent-index.ts'

// What was done in Settings, with sign-ins, exports and imports among it.

const kinds = ['tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents']

const settingsIndex = (pgm: MigrationBuilder, names: readonly string[]): Promise<void> =>
  replaceIndex(pgm, {
    name: 'history_settings',
    on: 'history (company_id, at, id)',
    predicate: `(records = ANY (ARRAY[${names.map((name) => `'${name}'::text`).join(', ')}]))`,
  })

export const up = (pgm: MigrationBuilder): Promise<void> =>
  settingsIndex(pgm, [...kinds, 'sessions', 'exports', 'imports'])

export const down = (pgm: MigrationBuilder): Promise<void> => settingsIndex(pgm, kinds)
