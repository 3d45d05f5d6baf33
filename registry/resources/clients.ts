import { categoryOf, resource, state } from '../common.ts'
import { drafts } from './rules.ts'

export const clients = resource({
  name: 'clients',
  one: 'client',
  about: 'Somebody the company works for, or would like to.',
  title: 'name',
  served: { addOn: 'api' },
  person: { kind: ['INDIVIDUAL'] },
  fields: {
    name: {
      kind: 'text',
      max: 200,
      required: true,
      personal: true,
      example: 'Bristol Harbour Trust',
      about: 'Name of the firm, the body or the person, as invoices give it.',
    },
    kind: { kind: 'choice', values: ['COMPANY', 'INDIVIDUAL', 'PUBLIC'], about: 'What the client is.' },
    status: state({
      values: ['ACTIVE', 'PROSPECT', 'INACTIVE', 'BLOCKED'],
      about: 'Where the relation stands. A BLOCKED client gets no new project.',
    }),
    category_id: { ...categoryOf('client'), example: 2, about: 'Its category, one of those kept for clients.' },
    contact_name: { kind: 'text', max: 160, personal: true, example: 'Ines Duarte', about: 'Whom to ask for.' },
    email: { kind: 'email', personal: true, about: 'Where it is reached by e-mail.' },
    phone: { kind: 'phone', personal: true, about: 'Where it is reached by telephone.' },
    tax_id: {
      kind: 'text',
      max: 40,
      unique: true,
      right: 'TAX',
      personal: true,
      example: 'GB123456789',
      about: 'Number under which the tax office knows it.',
    },
    website: { kind: 'url', personal: true, about: 'Its web site, such as https://example.com.' },
    billing_address: { kind: 'address', personal: true, about: 'Where invoices go.' },
    payment_terms_days: { kind: 'integer', min: 0, max: 365, example: 30, about: 'Days given to pay an invoice.' },
    credit_limit_minor: {
      kind: 'money',
      right: 'MONEY',
      about: 'Most that may be owed at once, in minor units of the currency.',
    },
  },
  search: ['name', 'contact_name', 'email', 'phone', 'tax_id'],
  filters: ['status', 'category_id', 'kind'],
  alike: ['name', 'email', 'phone'],
  addressee: ['name', 'contact_name', 'tax_id', 'billing_address'],
  removal: {
    instead: 'set its status to INACTIVE or BLOCKED',
    relations: [
      { records: 'invoices', by: 'client_id', onDelete: { cascade: drafts, otherwise: 'restrict' } },
      {
        records: 'estimates',
        by: 'client_id',
        onDelete: { restrict: { status: ['ACCEPTED'] }, cascade: drafts, otherwise: 'unlinked' },
      },
      {
        records: 'projects',
        by: 'client_id',
        onDelete: { restrict: { status: ['ACTIVE', 'BIDDING', 'ON_HOLD', 'COMPLETED'] }, otherwise: 'unlinked' },
      },
      { records: 'contacts', by: 'client_id', onDelete: { otherwise: 'cascade' } },
    ],
  },
})
