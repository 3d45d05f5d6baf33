import { percent, resource, state } from '../common.ts'
import { drafts } from './rules.ts'

export const subcontractors = resource({
  name: 'subcontractors',
  one: 'subcontractor',
  about: 'A firm that does part of the work under contract, or supplies equipment.',
  title: 'name',
  served: { addOn: 'subcontractors' },
  fields: {
    name: {
      kind: 'text',
      max: 200,
      required: true,
      example: 'Severn Scaffolding Ltd',
      about: 'Name of the firm, as contracts give it.',
    },
    status: state({
      values: ['ACTIVE', 'PENDING', 'INACTIVE', 'BLOCKED'],
      about: 'Whether it gets work.',
    }),
    trade_id: { kind: 'reference', to: 'trades', about: 'The trade it practises.' },
    contact_name: { kind: 'text', max: 160, example: 'Rhys Powell', about: 'Whom to ask for.' },
    email: { kind: 'email', about: 'Where the firm is reached by e-mail.' },
    phone: { kind: 'phone', about: 'Where the firm is reached by telephone.' },
    tax_id: {
      kind: 'text',
      max: 40,
      unique: true,
      right: 'TAX',
      example: 'GB987654321',
      about: 'Number under which the tax office knows the firm.',
    },
    license_number: {
      kind: 'text',
      max: 80,
      example: 'SC-55120',
      about: 'As printed on its licence to practise the trade.',
    },
    license_expires_on: { kind: 'date', example: '2027-01-31', about: 'Last day of its licence.' },
    insurance_provider: { kind: 'text', max: 160, example: 'Mutual of Avon', about: 'Who insures it.' },
    insurance_policy_no: {
      kind: 'text',
      max: 80,
      right: 'TAX',
      example: 'PL-334-90',
      about: 'As printed on the insurance policy.',
    },
    insurance_expires_on: { kind: 'date', example: '2026-12-31', about: 'Last day of its insurance.' },
    retention_pct: { ...percent, example: 5, about: 'Share of each payment held back, in percent.' },
    payment_terms_days: { kind: 'integer', min: 0, max: 365, example: 30, about: 'Days taken to pay it.' },
    rating: { kind: 'integer', min: 1, max: 5, example: 4, about: 'How good its work is, from 1 to 5.' },
    address: { kind: 'address', about: 'Where it has its office.' },
  },
  search: ['name', 'contact_name', 'email', 'license_number'],
  filters: ['status', 'trade_id'],
  alike: ['name', 'email', 'phone'],
  removal: {
    instead: 'set its status to INACTIVE or BLOCKED',
    relations: [
      {
        records: 'contracts',
        by: 'subcontractor_id',
        onDelete: { cascade: drafts, otherwise: 'restrict' },
      },
      { records: 'equipment', by: 'supplier_id', onDelete: { otherwise: 'unlinked' } },
    ],
  },
})
