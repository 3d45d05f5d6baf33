import { connect } from '../../clients/typescript/src/index.ts'

/** Creates clients 1 to n, each under a key of its own data, and says each that is done. It may be killed at any time. */
const [baseUrl = '', token = '', count = '0'] = process.argv.slice(2)
const { clients } = connect({ baseUrl, token })
for (let n = 1; n <= Number(count); n += 1) {
  const { replayed } = await clients.create({ name: `Client ${n}` }, { key: `client-${n}` })
  process.stdout.write(`${n} ${replayed ? 'replayed' : 'created'}\n`)
}
