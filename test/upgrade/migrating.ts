import { migrate } from '#server/store/migrate.ts'

/** A process that brings a database up to date: the connection, then the folder of migrations, as words. */
const [, , connection = '', folder = ''] = process.argv
await migrate(JSON.parse(connection), (sentence) => process.stderr.write(`${sentence}\n`), { folder })
