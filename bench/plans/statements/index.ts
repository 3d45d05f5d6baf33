import { ofTheAgents } from './agents.ts'
import type { Topic } from './examples.ts'
import { ofTheRecords } from './records.ts'
import { ofTheSystem } from './system.ts'

/** What the statements of the service look like, one of each: the goldens show their SQL, the bench their plans. */
export const everyStatement: readonly Topic[] = [...ofTheRecords, ...ofTheSystem, ...ofTheAgents]
