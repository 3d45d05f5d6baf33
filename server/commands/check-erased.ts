import { formatCount } from '#derive/words.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../store/database.ts'
import { type Check, passCheck, warnCheck } from './check-folder.ts'
import { erasedPersonsFiles, readErased } from './erased-persons.ts'
import { stateOf } from './person-erase.ts'

/** Whether everybody whom the files of erased persons name is erased: a restore brings a person back. */
export async function checkErased(config: Config, database: Database): Promise<Check[]> {
  const checks: Check[] = []
  for (const file of erasedPersonsFiles(config)) {
    const read = await readErased(file)
    if (read === null) continue
    const states = await Promise.all(read.persons.map((person) => stateOf({ database }, person)))
    const back = states.filter((state) => state !== 'is erased' && state !== 'is not there').length
    const says = `${formatCount(read.persons.length, 'person')} in ${file}`
    if (back === 0) checks.push(passCheck('erased', `${says}, all of them erased`))
    else
      checks.push(
        warnCheck('erased', `${says}, of whom ${back} are not erased: give "plumbline person erase --from ${file}".`),
      )
  }
  return checks
}
