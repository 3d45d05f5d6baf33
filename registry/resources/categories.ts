import { record } from '../common.ts'

export const categories = record({
  name: 'categories',
  one: 'category',
  about: 'A category of projects, of clients or of equipment.',
  title: 'name',
  fields: {
    name: { kind: 'text', max: 120, required: true, example: 'Restoration', about: 'Name of the category.' },
    kind: {
      kind: 'choice',
      values: ['project', 'client', 'equipment'],
      required: true,
      about: 'What it sorts. It cannot change.',
    },
  },
  search: ['name'],
  filters: ['kind'],
  rules: [
    ({ before, isChanged }) =>
      before !== null && isChanged('kind')
        ? { field: 'kind', code: 'locked', message: 'cannot change; make another category instead' }
        : undefined,
  ],
  removal: {
    instead: 'give those records another category first',
    relations: [
      { records: 'projects', by: 'category_id', onDelete: { otherwise: 'restrict' } },
      { records: 'clients', by: 'category_id', onDelete: { otherwise: 'restrict' } },
      { records: 'equipment', by: 'category_id', onDelete: { otherwise: 'restrict' } },
    ],
  },
})
