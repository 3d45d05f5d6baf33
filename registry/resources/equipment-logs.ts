import { record } from '../common.ts'
import { fixedWhile } from '../fixed-while.ts'

export const equipmentLogs = record({
  name: 'equipment_logs',
  one: 'equipment log',
  about: 'A day’s use, or a service, of a piece of equipment.',
  title: 'logged_on',
  fields: {
    equipment_id: {
      kind: 'reference',
      to: 'equipment',
      reads: ['daily_rate_minor'],
      required: true,
      about: 'Which piece of equipment.',
    },
    project_id: { kind: 'reference', to: 'projects', about: 'On which project.' },
    logged_on: { kind: 'date', required: true, example: '2026-03-02', about: 'On which day.' },
    hours: { kind: 'decimal', min: 0, max: 24, places: 2, unit: 'h', example: 6, about: 'How many hours.' },
    type: { kind: 'choice', values: ['USAGE', 'SERVICE'], initial: 'USAGE', required: true, about: 'Use or service.' },
    cost_minor: {
      kind: 'money',
      readOnly: true,
      initial: null,
      about: 'What a day of use is charged at, in minor units: the daily rate when it was logged. A service has none.',
    },
    billed: {
      kind: 'flag',
      initial: false,
      required: true,
      about: 'Whether it was billed; then it is part of the books.',
    },
  },
  search: [],
  filters: ['equipment_id', 'project_id', 'type', 'billed'],
  computed: fixedWhile({ type: ['USAGE'] }, 'equipment_id', {
    cost_minor: (_, { daily_rate_minor: daily }) => daily ?? null,
  }),
  protection: { when: { billed: [true] }, correct: 'set billed to false, change it, and set billed again' },
  removal: {
    instead: 'keep it; a billed log is part of the books',
    relations: [],
  },
})
