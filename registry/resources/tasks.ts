import { record } from '../common.ts'

export const tasks = record({
  name: 'tasks',
  one: 'task',
  about: 'Something to do on a project.',
  title: 'title',
  fields: {
    project_id: { kind: 'reference', to: 'projects', required: true, about: 'The project it is part of.' },
    title: { kind: 'text', max: 200, required: true, example: 'Order coping stones', about: 'What is to be done.' },
    done: { kind: 'flag', initial: false, required: true, about: 'Whether it is done.' },
  },
  search: ['title'],
  filters: ['project_id', 'done'],
  removal: { instead: 'mark it as done', relations: [] },
})
