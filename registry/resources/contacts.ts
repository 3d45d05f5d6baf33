import { record } from '../common.ts'

export const contacts = record({
  name: 'contacts',
  one: 'contact',
  about: 'A person to talk to at a client.',
  title: 'name',
  person: true,
  fields: {
    client_id: { kind: 'reference', to: 'clients', required: true, about: 'The client.' },
    name: {
      kind: 'text',
      max: 160,
      required: true,
      personal: true,
      example: 'Ines Duarte',
      about: 'Name of the person.',
    },
    email: { kind: 'email', personal: true, about: 'E-mail address.' },
    phone: { kind: 'phone', personal: true, about: 'Telephone number.' },
  },
  search: ['name', 'email', 'phone'],
  filters: ['client_id'],
  removal: { instead: 'keep it', relations: [] },
})
