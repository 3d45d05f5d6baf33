import type { Definition } from '../definition.ts'
import { categories } from './categories.ts'
import { clients } from './clients.ts'
import { contacts } from './contacts.ts'
import { contracts } from './contracts.ts'
import { equipment } from './equipment.ts'
import { equipmentLogs } from './equipment-logs.ts'
import { estimates } from './estimates.ts'
import { invoices } from './invoices.ts'
import { payments } from './payments.ts'
import { projects } from './projects.ts'
import { subcontractors } from './subcontractors.ts'
import { tasks } from './tasks.ts'
import { timeEntries } from './time-entries.ts'
import { trades } from './trades.ts'
import { workers } from './workers.ts'

/** The resources of a company. Derived code takes the list as a parameter, so that a test can pass another. */
export type Registry = readonly Definition[]

/** All resources: the six served ones in the order of the spec, then those of the ERP alone. */
const resources = [
  projects,
  workers,
  clients,
  estimates,
  subcontractors,
  equipment,
  trades,
  categories,
  tasks,
  contacts,
  timeEntries,
  invoices,
  payments,
  contracts,
  equipmentLogs,
] as const
export const registry: Registry = resources

/** One of the resources, with the literal names of its fields and values. */
export type Resource = (typeof resources)[number]

/** The resources with routes at /v1. */
export const servedResources: Registry = registry.filter(({ served }) => served)

/** Returns the definition with this name, or undefined. */
export const definitionOf = (records: Registry, name: string): Definition | undefined =>
  records.find((definition) => definition.name === name)
