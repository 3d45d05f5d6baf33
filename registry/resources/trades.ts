import { record } from '../common.ts'

export const trades = record({
  name: 'trades',
  one: 'trade',
  about: 'A trade that workers and subcontractors practise.',
  title: 'name',
  fields: {
    name: { kind: 'text', max: 120, required: true, unique: true, example: 'Bricklayer', about: 'Name of the trade.' },
  },
  search: ['name'],
  filters: [],
  removal: {
    instead: 'give those records another trade first',
    relations: [
      { records: 'workers', by: 'trade_id', onDelete: { otherwise: 'restrict' } },
      { records: 'subcontractors', by: 'trade_id', onDelete: { otherwise: 'restrict' } },
    ],
  },
})
