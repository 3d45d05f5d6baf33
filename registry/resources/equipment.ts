import { categoryOf, resource, state } from '../common.ts'
import type { Problem, RuleInput } from '../definition.ts'

export const equipment = resource({
  name: 'equipment',
  one: 'piece of equipment',
  about: 'A machine, vehicle or tool, owned or hired.',
  title: 'name',
  served: { addOn: 'equipment' },
  fields: {
    name: { kind: 'text', max: 200, required: true, example: 'Mini excavator 1.8 t', about: 'What it is called.' },
    code: { kind: 'text', max: 40, unique: true, example: 'EQ-231', about: 'The company’s short code for it.' },
    status: state({
      values: ['ACTIVE', 'IN_USE', 'MAINTENANCE', 'RETIRED'],
      about: 'Where it stands. IN_USE needs project_id.',
    }),
    category_id: { ...categoryOf('equipment'), example: 15, about: 'Its category, one of those kept for equipment.' },
    make: { kind: 'text', max: 120, example: 'Kubota', about: 'Who made it.' },
    model: { kind: 'text', max: 120, example: 'KX019', about: 'Which model it is.' },
    year: { kind: 'integer', min: 1900, max: 2100, example: 2023, about: 'Year it was made.' },
    serial_number: {
      kind: 'text',
      max: 120,
      unique: true,
      example: 'KX019-77812',
      about: 'Number that the maker gave this one piece.',
    },
    ownership: { kind: 'choice', values: ['OWNED', 'RENTED', 'LEASED'], about: 'Whose it is.' },
    supplier_id: { kind: 'reference', to: 'subcontractors', about: 'The subcontractor who supplied it.' },
    project_id: { kind: 'reference', to: 'projects', about: 'The project it is used on.' },
    worker_id: { kind: 'reference', to: 'workers', about: 'The worker it is given to.' },
    purchase_date: { kind: 'date', example: '2023-04-11', about: 'Day it was bought.' },
    purchase_price_minor: { kind: 'money', right: 'MONEY', about: 'What was paid, in minor units of the currency.' },
    daily_rate_minor: { kind: 'money', about: 'What a day is charged at, in minor units of the currency.' },
    meter_hours: {
      kind: 'decimal',
      min: 0,
      max: 10_000_000,
      places: 2,
      example: 812.5,
      about: 'Hours on its meter, which never fall.',
    },
    next_service_on: { kind: 'date', example: '2026-12-01', about: 'Day its next service is due.' },
  },
  search: ['name', 'code', 'serial_number', 'make', 'model'],
  filters: ['status', 'category_id', 'project_id', 'worker_id'],
  needs: { status: ['IN_USE'], fields: ['project_id'] },
  rules: [meterNeverFalls],
  removal: {
    instead: 'set its status to RETIRED',
    relations: [
      {
        records: 'equipment_logs',
        by: 'equipment_id',
        onDelete: { restrict: { billed: [true] }, cascade: { type: ['USAGE'] }, otherwise: 'kept' },
      },
    ],
  },
})

function meterNeverFalls({ after, before }: RuleInput): Problem | undefined {
  const reading = before?.meter_hours
  if (typeof reading !== 'number' || (typeof after.meter_hours === 'number' && after.meter_hours >= reading))
    return undefined
  return { field: 'meter_hours', code: 'may_not_fall', message: `must not be below the reading it has (${reading})` }
}
