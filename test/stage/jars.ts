import { record, state } from '#registry/common.ts'
import { type Definition, ofSums, problem } from '#registry/definition.ts'
import { tables } from '../house/asked-tables.ts'
import { run } from './database.ts'
import type { Stage } from './stage.ts'

/** Made-up resources: coins settle their jar, and a shelf bears no more than 1,000 of jars. */

const coins = record({
  name: 'coins',
  one: 'coin',
  about: 'A coin in a jar.',
  title: 'note',
  fields: {
    note: { kind: 'text', max: 40, example: 'Wage', about: 'What it is for.' },
    jar_id: { kind: 'reference', to: 'jars', required: true, settles: true, reads: ['status'], about: 'In which jar.' },
    amount_minor: { kind: 'money', required: true, about: 'Its worth.' },
    put_on: { kind: 'date', example: '2026-06-15', about: 'On which day.' },
    fee_minor: { kind: 'money', about: 'What is lost of it.' },
    status: state({ values: ['IN', 'OUT'], moves: { IN: ['OUT'], OUT: [] }, about: 'Whether it is in the jar.' }),
  },
  search: [],
  filters: ['jar_id', 'status'],
  rules: [
    ({ found, isChanged }) =>
      isChanged('jar_id') && found.jar_id?.status === 'SHUT'
        ? problem('jar_id', 'not_allowed', 'must be a jar that is not SHUT')
        : undefined,
    (input) =>
      typeof input.after.put_on === 'string' && input.after.put_on > input.today
        ? problem('put_on', 'out_of_range', 'must not be after today')
        : undefined,
  ],
  removal: { instead: 'keep it', relations: [] },
} satisfies Definition)

const jars = record({
  name: 'jars',
  one: 'jar',
  about: 'A jar of coins on a shelf.',
  title: 'name',
  fields: {
    name: { kind: 'text', max: 40, required: true, example: 'Blue', about: 'Its name.' },
    project_id: { kind: 'reference', to: 'projects', about: 'On which shelf.' },
    goal_minor: { kind: 'money', initial: 100, required: true, about: 'What it is to have.' },
    weight_minor: { kind: 'money', initial: 0, required: true, about: 'What it weighs.' },
    paid_minor: { kind: 'money', readOnly: true, initial: 0, about: 'What it has.' },
    status: state({
      values: ['OPEN', 'FULL', 'SHUT'],
      moves: { OPEN: ['SHUT'], FULL: [], SHUT: ['OPEN'] },
      about: 'Whether it has what it is to have.',
    }),
  },
  search: [],
  filters: ['status'],
  sums: {
    paid_minor: {
      of: 'coins',
      by: { jar_id: 'id' },
      add: ['amount_minor'],
      less: ['fee_minor'],
      when: { status: ['IN'] },
      counts: 'in',
    },
    beside_minor: { of: 'jars', by: { project_id: 'project_id' }, add: ['weight_minor'], counts: 'out' },
  },
  rules: [
    ofSums(['paid_minor'], ({ after, isChanged, sums: { paid_minor: paid = 0 } }) =>
      isChanged('status') && after.status === 'SHUT' && paid > 0
        ? problem('status', 'not_allowed', 'cannot be SHUT with coins in it')
        : undefined,
    ),
    ofSums(['beside_minor'], ({ after, sums: { beside_minor: beside = 0 } }) =>
      beside + Number(after.weight_minor) > 1000
        ? problem('weight_minor', 'out_of_range', 'must leave the shelf at 1000 at most')
        : undefined,
    ),
  ],
  computed: ofSums(['paid_minor'], ({ status, goal_minor }, { sums: { paid_minor: paid } }) =>
    paid === undefined
      ? { paid_minor: 0, status: status ?? null }
      : { paid_minor: paid, status: status === 'SHUT' ? status : paid >= Number(goal_minor) ? 'FULL' : 'OPEN' },
  ),
  protection: { when: { status: ['FULL'] }, correct: 'take a coin out' },
  removal: {
    instead: 'keep it',
    relations: [{ records: 'coins', by: 'jar_id', onDelete: { otherwise: 'restrict' } }],
  },
} satisfies Definition)

/** For a test's `vi.mock` of the registry. */
export const madeUp: readonly Definition[] = [jars, coins]

/** Creates the tables of the made-up resources. */
export const createJars = ({ connection }: Stage) => run(connection, tables(madeUp))
