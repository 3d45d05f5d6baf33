import { ofTheAgents } from './agents.ts'
import type { Topic } from './examples.ts'
import { ofTheRecords } from './records.ts'
import { ofTheSystem } from './system.ts'

/** One example of each statement of the service. The goldens show their SQL, and the bench their plans. */
export const everyStatement: readonly Topic[] = [...ofTheRecords, ...ofTheSystem, ...ofTheAgents]
