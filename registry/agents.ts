/** Limits of what agents do without a person, by company. Decisions, Agents. */
export type AgentSettings = {
  /** A change of more records than these needs a person. */
  records_max: number
  /** Every change needs a person. */
  always: boolean
}

/** The settings of a company whose administrator switches agents on and changes nothing else. */
export const agentDefaults: AgentSettings = { records_max: 20, always: false }

/** Highest value of the setting `records_max`: one batch and one undo change no more records than this. */
export const agentRecordsMax = 1000

/** The path at which agents call. */
export const agentPath = '/mcp'

/** Largest request of an agent, in bytes. */
export const agentRequestBytesMax = 256 * 1024
/** Largest answer to an agent, in bytes; a model reads all of it. */
export const agentAnswerBytesMax = 16 * 1024
/** Longest text in an answer to an agent, in characters. A longer text is cut, and marked as cut. */
export const agentTextMax = 500
/** Highest number of records or of changes in one answer to an agent. */
export const agentPageMax = 50
/** Highest number of history entries of a record in one answer to an agent. */
export const agentHistoryMax = 20
/** Highest number of changes of a plan in one answer to an agent. Its `total` counts all of them. */
export const agentChangesMax = 20
/** Highest number of operations in one preview. */
export const agentOperationsMax = 200
/** Longest reason that an agent gives for a change, in characters. */
export const agentReasonMax = 500
/** Longest name that an agent gives itself, in characters. */
export const agentClientMax = 80
/** Highest number of previews of a company that are open: neither declined nor applied nor expired. */
export const openPreviewsMax = 100
/** Hours in which a preview can be applied. */
export const previewHours = 24
/** Days for which a preview is kept after its end. */
export const previewKeptDays = 7
/** Seconds for which a client may cache the list of tools. */
export const agentToolsSeconds = 3600
