import { record, state } from '../common.ts'

export const contracts = record({
  name: 'contracts',
  one: 'contract',
  about: 'What a subcontractor is to do on a project, and for how much.',
  title: 'title',
  fields: {
    subcontractor_id: { kind: 'reference', to: 'subcontractors', required: true, about: 'Who does it.' },
    project_id: { kind: 'reference', to: 'projects', about: 'On which project.' },
    title: { kind: 'text', max: 200, required: true, example: 'Scaffold, north face', about: 'What is to be done.' },
    amount_minor: { kind: 'money', right: 'MONEY', about: 'For how much, in minor units of the currency.' },
    signed_on: { kind: 'date', example: '2026-02-20', about: 'Day it was signed.' },
    status: state({
      values: ['DRAFT', 'SIGNED', 'CLOSED'],
      moves: { DRAFT: ['SIGNED'], SIGNED: ['CLOSED'], CLOSED: [] },
      about: 'Once signed it is part of the books.',
    }),
  },
  search: ['title'],
  filters: ['subcontractor_id', 'project_id', 'status'],
  protection: { when: { status: ['SIGNED', 'CLOSED'] }, correct: 'close it and sign a new contract' },
  removal: {
    instead: 'set its status to CLOSED; a signed contract is part of the books',
    relations: [],
  },
})
