/** The kinds of work that are measured, in the order of the table: reads before writes, so that they find fresh data. */
export const workNames = [
  'fetch',
  'not-modified',
  'list',
  'filtered',
  'q',
  'walk',
  'several',
  'ids',
  'days',
  'choices',
  'me',
  'delete-dry-run',
  'update',
  'create',
  'create-keyed',
  'create-shown',
  'batch',
  'changes',
  'changes-not-modified',
] as const

export type WorkName = (typeof workNames)[number]

export type Work = {
  about: string
  /** The work of the floor with which it is compared. */
  floor: WorkName | null
  /** The required share of the floor's rate, or of the product's own rate at another work. */
  asked: { of: 'floor' | WorkName; share: number } | null
  /** True if each request differs, so that none can be formatted before the run. */
  unique: boolean
}

export const works: { readonly [name in WorkName]: Work } = {
  fetch: { about: 'one record by its id', floor: 'fetch', asked: { of: 'floor', share: 0.8 }, unique: false },
  'not-modified': {
    about: 'the same with If-None-Match, answered 304',
    floor: null,
    asked: { of: 'fetch', share: 1 },
    unique: false,
  },
  list: {
    about: 'the first 50 records with their exact total',
    floor: 'list',
    asked: { of: 'floor', share: 0.8 },
    unique: false,
  },
  filtered: { about: 'the same of one status, a fifth of the records', floor: 'filtered', asked: null, unique: false },
  q: { about: 'the same of one word, in a sixth of the records', floor: 'q', asked: null, unique: false },
  walk: {
    about: 'the same 50 as a page of a walk by after_id, with its links',
    floor: 'list',
    asked: { of: 'list', share: 0.9 },
    unique: false,
  },
  several: {
    about: 'a page of two statuses, two fifths of the records',
    floor: null,
    asked: { of: 'list', share: 0.7 },
    unique: false,
  },
  ids: {
    about: '50 records by their ids, with id_in',
    floor: null,
    asked: { of: 'list', share: 0.5 },
    unique: false,
  },
  days: {
    about: 'a page of records that start within 180 days, a fifth of them',
    floor: null,
    asked: { of: 'list', share: 0.7 },
    unique: false,
  },
  choices: { about: 'the categories of projects', floor: null, asked: { of: 'list', share: 1 }, unique: false },
  me: { about: 'who calls', floor: null, asked: { of: 'fetch', share: 0.6 }, unique: false },
  'delete-dry-run': { about: 'what the deletion of a record would do', floor: null, asked: null, unique: false },
  update: { about: 'one field of a record', floor: 'update', asked: null, unique: true },
  create: { about: 'a record, without a key', floor: 'create', asked: null, unique: true },
  'create-keyed': {
    about: 'a record, with an Idempotency-Key',
    floor: 'create',
    asked: { of: 'floor', share: 0.4 },
    unique: true,
  },
  'create-shown': {
    about: 'a record, answered with Prefer: return=representation',
    floor: null,
    asked: { of: 'create', share: 0.8 },
    unique: true,
  },
  batch: {
    about: '1,000 creates in one call with the mode all; the floor inserts the same rows, and their history, at once',
    floor: 'batch',
    asked: { of: 'floor', share: 0.5 },
    unique: true,
  },
  changes: { about: 'the first 50 changes of a company', floor: null, asked: null, unique: false },
  'changes-not-modified': {
    about: 'the same with If-None-Match, answered 304',
    floor: null,
    asked: { of: 'changes', share: 1 },
    unique: false,
  },
}

/** Number of records that one request of `batch` creates. */
export const batchRows = 1000
