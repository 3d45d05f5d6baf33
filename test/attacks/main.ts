import { parseArgs } from 'node:util'
import { migrate } from '#server/store/migrate.ts'
import { createTestDatabase } from '../stage/database.ts'
import { openOwnServer } from '../stage/own-server.ts'
import { findAllPlanted } from './planted.ts'
import { formatReport } from './report.ts'
import { surfaceAbout, wholeSurface } from './rights.ts'
import { attack, parts } from './run.ts'

const help = `Attacks a service of its own with accounts of every right and companies of the same shape.

  npm run attacks                  every attack by every account, between three companies
  npm run attacks -- --short       the form that the tests take
  npm run attacks -- --only PART   ${parts.join(' or ')}
  npm run attacks -- --records workers   the operations of these records alone, and those of none
  npm run attacks -- --planted     the short form on copies of the checkout with a bug each, which it has to find;
                                   numbers after it choose some

  --json                           the report as JSON, with the calls of each operation
  --help                           this text

It prints the counts and what it found, and exits with 1 if that is anything.
`

const flag = { type: 'boolean', default: false } as const

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ short: flag, only: { type: 'string' }, records: { type: 'string' } },
      ...{ planted: flag, json: flag, help: { ...flag, short: 'h' } },
    },
  })
  if (values.help) process.stdout.write(help)
  else if (values.planted) process.exitCode = (await findAllPlanted(positionals)) ? 0 : 1
  else await attackOwn(values)
} catch (error) {
  if (!/^ERR_PARSE_ARGS|^given$/.test(String((error as NodeJS.ErrnoException).code))) throw error
  process.stderr.write(`${(error as Error).message} See --help.\n`)
  process.exitCode = 1
}

type Words = { short: boolean; json: boolean; only?: string | undefined; records?: string | undefined }

async function attackOwn({ short, json, only, records }: Words): Promise<void> {
  const since = performance.now()
  const attacked = only === undefined ? parts : [chosen('only', parts, only)]
  const surface = records === undefined ? wholeSurface : surfaceAbout(chosen('records', wholeSurface.records, records))
  const { server, close } = await openOwnServer({ fsync: 'off' }, ['alter role plumbline createdb'])
  try {
    const { connection, drop } = await createTestDatabase(server)
    await migrate(connection, () => {})
    const report = await attack(connection, { form: short ? 'short' : 'long', parts: attacked, surface })
    await drop()
    const { byOperation, ...counts } = report
    const text = formatReport(report, (performance.now() - since) / 1000)
    console.log(json ? JSON.stringify({ ...counts, operations: Object.fromEntries(byOperation) }) : text)
    if (report.findings.length > 0) process.exitCode = 1
  } finally {
    await close()
  }
}

/** Returns the value of an option. Throws if it is none of these. */
function chosen<Value extends string>(option: string, values: readonly Value[], text: string): Value {
  const value = values.find((one) => one === text)
  if (value !== undefined) return value
  throw Object.assign(new Error(`--${option} must be one of ${values.join(', ')}, and not ${JSON.stringify(text)}.`), {
    code: 'given',
  })
}
