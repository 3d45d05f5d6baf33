import type { AgentSettings } from '#registry/agents.ts'
import type { Json } from '#registry/json.ts'
import { type Action, permission } from '#registry/permissions.ts'
import type { PlannedChange, Preview } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { batchNeeds } from '../batch.ts'
import { entersProtection } from '../protection.ts'
import { listNeededRights } from '../visible.ts'
import { isRemoval } from './going.ts'

/** The reasons why a change needs a person, and that person's rights, by the preview. Decisions, Agents. */

const personReasons = ['deletes', 'undoes', 'protects', 'many', 'hourly', 'always'] as const
export type PersonReason = (typeof personReasons)[number]

/** The change that was previewed. */
type PreviewedWrite = { plan: Preview; isUndo: boolean }

/** The records that agents of a company have changed within an hour without a person, and the most that they may. */
export type AgentHour = { records: number; max: number }

/** Returns the reasons for which a person has to approve the change. Empty if the agent may make it alone. */
export function reasonsForPerson(
  { plan, isUndo }: PreviewedWrite,
  settings: AgentSettings,
  hour: AgentHour,
): PersonReason[] {
  const { changes, would_delete, total } = plan
  const holds: { readonly [reason in PersonReason]: boolean } = {
    deletes: would_delete.length > 0 || changes.some(isRemoval),
    undoes: isUndo,
    protects: changes.some((change) => !isRemoval(change) && isProtecting(change)),
    many: total > settings.records_max,
    hourly: hour.records + total > hour.max,
    always: settings.always,
  }
  return personReasons.filter((reason) => holds[reason])
}

function isProtecting({ records, fields }: PlannedChange): boolean {
  const definition = definitionOf(registry, records)
  return definition !== undefined && entersProtection(definition, fields)
}

/**
 * Returns the permissions to decide: to see all that the preview shows, and to make all of its changes in the
 * interface. A preview shows only its first changes, so the operations count too.
 */
export function neededToDecide(plan: Preview, operations: Json | undefined): string[] {
  const needed = new Set<string>()
  const need = (records: string, ...actions: Action[]): void => {
    for (const action of actions) needed.add(permission(records, action))
  }
  const { scopes, rights } = batchNeeds({ operations: operations ?? [] })
  for (const one of [...scopes, ...rights]) needed.add(one)
  for (const change of plan.changes) need(change.records, 'VIEW', isRemoval(change) ? 'DELETE' : 'EDIT')
  for (const { records, fields } of plan.changes) {
    const definition = definitionOf(registry, records)
    for (const right of definition ? listNeededRights(definition, Object.keys(fields ?? {})) : []) needed.add(right)
  }
  for (const { records } of plan.would_delete) need(records, 'VIEW', 'DELETE')
  for (const { records, effect } of plan.would_keep)
    need(records, 'VIEW', ...(effect === 'unlinked' ? (['EDIT'] as const) : []))
  return [...needed].toSorted()
}
