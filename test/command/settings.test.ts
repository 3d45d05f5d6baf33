import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settings } from '#server/config/config.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
  await writeFile(
    join(stage.folder, '.env'),
    'PORT=4000\nHOST=127.0.0.2\nPLUMBLINE_SECRET=a-secret-of-more-than-32-characters\n',
  )
})
afterAll(() => stage.clear())

describe('config', () => {
  test('shows every setting, its value and where it came from; the environment goes before .env.', async () => {
    const { settings: shown } = jsonOf(await stage.give(['config', '--json'], { PORT: '4001' })) as {
      settings: { name: string; value: string; from: string; about: string }[]
    }
    expect(shown.map(({ name, about }) => [name, about])).toEqual(settings.map(({ name, about }) => [name, about]))
    const of = (name: string) => shown.find((setting) => setting.name === name)
    expect(of('PORT')).toMatchObject({ value: '4001', from: 'environment' })
    expect(of('HOST')).toMatchObject({ value: '127.0.0.2', from: '.env' })
    expect(of('LOG_LEVEL')).toMatchObject({ value: 'info', from: 'default' })
    expect(of('PLUMBLINE_SECRET')).toMatchObject({ value: '••••••', from: '.env' })
  })

  test('shows them to people, a line each, without a secret.', async () => {
    const { code, out } = await stage.give(['config'])
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(settings.length)
    expect(out).toMatch(/^PORT +4000 +\.env +Port to listen on/m)
    expect(out).not.toContain('a-secret')
  })

  test('says all that is wrong at once, and exits with 2.', async () => {
    const { code, out, err } = await stage.give(['config'], { PORT: 'x', LOG_LEVEL: 'loud' })
    expect({ code, err }).toEqual({
      code: 2,
      err: 'PORT must be a whole number from 0 to 65535.\nLOG_LEVEL must be debug, info, warn, error or silent.\n',
    })
    expect(out).toMatch(/^PORT +x +environment/m)
  })
})

test.for([['serve'], ['migrate'], ['demo'], ['company', 'create', '--name', 'A'], ['token', 'show', '--company', '1']])(
  '%j starts nothing with settings that are wrong, and says all of them.',
  async (words) => {
    const { code, out, err } = await stage.give(words, { PORT: 'x', PUBLIC_URL: 'y' })
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: 'PORT must be a whole number from 0 to 65535.\nPUBLIC_URL must be an address like https://erp.example.com, without a path.\n',
    })
    const json = await stage.give([...words, '--json'], { PORT: 'x' })
    expect(JSON.parse(json.err)).toEqual({
      error: 'PORT must be a whole number from 0 to 65535.',
      code: 'config_invalid',
      exit_code: 2,
    })
  },
)

test('A database that cannot be reached is named, with what to do.', async () => {
  const more = { DATABASE_URL: 'postgres://erp@127.0.0.1:1/erp' }
  expect(await stage.give(['company', 'show', '1'], more)).toEqual({
    code: 3,
    out: '',
    err: 'The database cannot be reached (connect ECONNREFUSED 127.0.0.1:1): see that it runs and that DATABASE_URL is right.\n',
  })
})

test('Where there is no database, a command about a company makes none.', async () => {
  for (const words of [
    ['company', 'show', '1'],
    ['account', 'set', '1', '--enable'],
    ['token', 'show', '--company', '1'],
  ]) {
    const { code, err } = await stage.give(words)
    expect(code).toBe(1)
    expect(err).toMatch(/^There is no database in .*data: go to the folder that the server was started in, or set /)
  }
  const { code, out } = await stage.give(['doctor'])
  expect(code).toBe(0)
  expect(out).toMatch(/^OK +database +there is none yet/m)
})
