/** The outcome of a run of attacks: how much was tried, and what was wrong. */

/** What has to hold of every call. `planted.json` has a bug for each, which it has to find. */
export const rules = {
  isRefused: 'a call without its right is refused with insufficient_scope',
  isMade: 'a call with its rights is made',
  isDone: 'whoever may do everything can do it',
  isAllowedToSee: 'an answer tells what its caller may see, and nothing else',
  findsNothing: 'a search finds nothing by a withheld field',
  changesNothing: 'a refused call changes nothing',
  isLikeNobodys: 'what another company has is answered like what nobody has',
  isOfOwn: 'an answer tells nothing of another company',
  leavesOthers: 'a company changes nothing of another',
  staysSame: 'a read stays the same while another company writes',
  isAnswered: 'a call is answered',
} as const
export type Rule = (typeof rules)[keyof typeof rules]

/** Something that an answer should not be or have. */
export type Finding = {
  rule: Rule
  /** The attack, as a reader would repeat it. */
  call: string
  who: string
  says: string
}

export type Report = {
  calls: number
  comparisons: number
  findings: Finding[]
  /** Calls by operation: one that is missing was not attacked. */
  byOperation: Map<string, number>
  /** Why it ended before its end; only after something was found. */
  endedBy?: string
}

export const openReport = (): Report => ({ calls: 0, comparisons: 0, findings: [], byOperation: new Map() })

export function count(report: Report, operation: string): void {
  report.calls++
  report.byOperation.set(operation, (report.byOperation.get(operation) ?? 0) + 1)
}

/** Lines of a report: the counts, and each rule with the first of its findings. */
export function formatReport({ calls, comparisons, findings, byOperation, endedBy }: Report, seconds: number): string {
  const byRule = Map.groupBy(findings, ({ rule }) => rule)
  const lines = [...byRule].flatMap(([rule, all]) => [
    `${rule}: ${all.length}`,
    ...all.slice(0, shownMax).map(({ call, who, says }) => `  ${call}, by ${who}: ${says}`),
    ...(all.length > shownMax ? [`  and ${all.length - shownMax} more`] : []),
  ])
  return [
    ...lines,
    ...(endedBy === undefined ? [] : [`It ended early: ${endedBy}`]),
    `${calls} calls of ${byOperation.size} operations, ${comparisons} comparisons, ${findings.length} findings, in ${Math.round(seconds)} s.`,
  ].join('\n')
}

const shownMax = 8
