/** What agents may do without a person, by company. Decisions, Agents. */
export type AgentSettings = {
  /** A change of more records than these needs a person. */
  records_max: number
  /** Every change needs a person. */
  always: boolean
}

/** What is set where somebody switches agents on and says no more. */
export const agentDefaults: AgentSettings = { records_max: 20, always: false }

/** Records of a change, as many as one batch and one undo have at most. */
export const agentRecordsMax = 1000

/** Where agents call. */
export const agentPath = '/mcp'

/** Bytes of a request of an agent. */
export const agentRequestBytesMax = 256 * 1024
/** Bytes of an answer to an agent, which a model reads whole. */
export const agentAnswerBytesMax = 16 * 1024
/** Characters of a text in an answer to an agent; what is longer is cut and marked. */
export const agentTextMax = 500
/** Records, or changes, of one answer to an agent. */
export const agentPageMax = 50
/** Entries of a record's history in one answer to an agent. */
export const agentHistoryMax = 20
/** Changes of a plan in one answer to an agent; `total` is complete. */
export const agentChangesMax = 20
/** Operations of one preview. */
export const agentOperationsMax = 200
/** Characters of what an agent says it wants to do something for. */
export const agentReasonMax = 500
/** Characters of what an agent says it is. */
export const agentClientMax = 80
/** Previews of a company that are neither declined nor applied nor expired. */
export const openPreviewsMax = 100
/** Hours in which a preview can be applied. */
export const previewHours = 24
/** Days after its end in which a preview says what it was about. */
export const previewKeptDays = 7
/** Seconds in which a client need not ask for the tools again. */
export const agentToolsSeconds = 3600
