import { type EqualRecordsRow, equalRecords } from '#sql/records/twins.ts'
import type { Database } from '../store/database.ts'
import { type Check, passCheck, warnCheck } from './check-folder.ts'

const namedMax = 20

/** Checks for live records whose unique values are equal since an upgrade. */
export async function checkEqual(database: Database): Promise<Check> {
  const rows = await database.read<EqualRecordsRow>(equalRecords(namedMax))
  if (rows.length === 0) return passCheck('equal', 'no two records of a company have an equal unique value')
  const named = rows.map(
    ({ company_id, records, field, ids }) => `${field} of ${records} ${ids.join(' and ')} of company ${company_id}`,
  )
  return warnCheck(
    'equal',
    `people see these values as equal: ${named.join('; ')}. Give all but one another value; until then a write of the same value is refused as taken.`,
  )
}
