/** The bounds that callers can meet, which the documents print. */
export const pageSizeDefault = 50
export const pageSizeMax = 100
/** Values of one filter of a list. */
export const filterValuesMax = 100
/** Longest wait of a call for changes, in seconds. */
export const waitSecondsMax = 30
export const offsetMax = 2 ** 31 - 1
export const searchLengthMax = 200
export const idempotencyKeyLengthMax = 255
export const replayWindowHours = 24
/** Bytes of all headers of a request, with its first line. */
export const headerBytesMax = 16 * 1024
export const bodyBytesMax = 1024 * 1024
export const bodyDepthMax = 32
/** Members of objects and items of lists in a body; the longest record has 3,500. */
export const bodyValuesMax = 10_000
/** Operations of one `POST /v1/batch`. */
export const batchOperationsMax = 1000
export const batchBytesMax = 4 * bodyBytesMax
export const batchValuesMax = 10 * bodyValuesMax
/** Problems that a refused batch names for one operation. */
export const batchProblemsMax = 20
/** The longest name that an operation of a batch has for others. */
export const batchNameLengthMax = 64
/** Unknown members of a body that a refusal names; the others are counted. */
export const strangersNamedMax = 100
/** Characters that a refusal shows of an unknown member's name. */
export const strangerShownMax = 100
export const allowlistMax = 100
export const linesMax = 500
/** Ids that a preview or a refusal lists; the count beside them is complete. */
export const listedIdsMax = 20
/** Changes that a plan shows; the total beside them is complete, and the hash is of all. */
export const plannedChangesMax = 1000
/** Bytes of an imported file. */
export const importBytesMax = 20 * bodyBytesMax
/** Bytes of a workbook when it is unpacked. */
export const importWorkbookBytesMax = 100 * bodyBytesMax
export const importRowsMax = 50_000
export const importColumnsMax = 200
/** Values that one call looks up, and records that it returns for one name. */
export const lookedUpMax = 500
export const namesakesMax = 5
/** Operations of a batch of the interface on the records of one resource. */
export const recordsBatchMax = 500
/** Rows of an imported file in one batch, unless they exceed the bytes below. One call looks up the values of a column. */
export const importBatchRows = Math.min(recordsBatchMax, lookedUpMax)
export const importBatchBytes = 3 * bodyBytesMax
/** Records that one call undoes; the next call undoes more. */
export const undoneRecordsMax = 1000
/** Records that a refused undo names. */
export const conflictsMax = 100
/** Well inside the whole numbers that JSON carries exactly (2^53 - 1). */
export const moneyMax = 9_000_000_000_000_000
export const idMax = Number.MAX_SAFE_INTEGER
/** Bounds of a new password, in code points. */
export const passwordLengthMin = 8
export const passwordLengthMax = 128

/** A limit of /v1 as the documents print it. */
export type Limit = { name: string; what: string; value: number; unit: string }

const limit = (constant: { readonly [name: string]: number }, what: string, unit: string): Limit => {
  const [[name, value] = ['', 0]] = Object.entries(constant)
  return { name, what, value, unit }
}

/** The limits in the order of the documents. */
export const limits: readonly Limit[] = [
  limit({ pageSizeDefault }, 'A page when `limit` is not given', 'records'),
  limit({ pageSizeMax }, 'A page at most; a larger one is taken as this', 'records'),
  limit({ filterValuesMax }, 'Values of a filter such as `id_in`', 'values'),
  limit({ searchLengthMax }, 'Search text `q`', 'characters'),
  limit({ waitSecondsMax }, 'A call for changes waits by `wait`', 'seconds'),
  limit({ headerBytesMax }, 'Headers of a request', 'bytes'),
  limit({ idempotencyKeyLengthMax }, 'Idempotency-Key, in visible ASCII', 'characters'),
  limit({ replayWindowHours }, 'A key is remembered for', 'hours'),
  limit({ bodyBytesMax }, 'Body', 'bytes'),
  limit({ bodyDepthMax }, 'Depth of a body', 'levels'),
  limit({ bodyValuesMax }, 'Members of objects and items of lists in a body', 'values'),
  limit({ linesMax }, 'Lines of a record', 'lines'),
  limit({ batchOperationsMax }, 'Batch', 'operations'),
  limit({ batchBytesMax }, 'Body of a batch', 'bytes'),
  limit({ batchValuesMax }, 'Members and items in the body of a batch', 'values'),
  limit({ batchNameLengthMax }, 'Name of an operation of a batch', 'characters'),
  limit({ batchProblemsMax }, 'Mistakes that are named of an operation of a batch', 'mistakes'),
  limit({ strangersNamedMax }, 'Members that are no fields: so many are named, the others counted', 'members'),
  limit({ strangerShownMax }, 'Shown of the name of such a member', 'characters'),
  limit({ listedIdsMax }, 'Ids in a preview or refusal; the count beside them is complete', 'ids'),
  limit({ plannedChangesMax }, 'Changes that a plan shows; the total beside them is complete', 'changes'),
  limit({ undoneRecordsMax }, 'Records that one undo takes back', 'records'),
  limit({ conflictsMax }, 'Records that a refused undo names', 'records'),
  limit({ allowlistMax }, 'Addresses or ranges that a token is tied to', 'entries'),
]

/** Constants that are no limits of /v1: of the interface, of imports, or part of a documented type. */
export const internal: readonly string[] = [
  ...['offsetMax', 'moneyMax', 'idMax', 'lookedUpMax', 'namesakesMax', 'passwordLengthMin', 'passwordLengthMax'],
  ...[
    'importBytesMax',
    'importWorkbookBytesMax',
    'importRowsMax',
    'importColumnsMax',
    'recordsBatchMax',
    'importBatchRows',
    'importBatchBytes',
  ],
]
