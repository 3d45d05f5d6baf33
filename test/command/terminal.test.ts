import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, type Stage } from './stage.ts'

/** Sets the title of the window, colours by C0 and by C1, asks the terminal who it is, turns the line round, begins another. */
const hostile = 'Quay\u001b]0;owned\u0007\u001b[31m\u009b31m\u001b[c\u202egnp\u2066\u2028\u007f\r\nToken plumb_live_x'
const shown =
  'Quay⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+001B⟩[31m⟨U+009B⟩31m⟨U+001B⟩[c⟨U+202E⟩gnp⟨U+2066⟩⟨U+2028⟩⟨U+007F⟩ Token plumb_live_x'
const dangerous = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage()
  database = await freshDatabase()
  opened = await stage.open({ DATABASE_URL: urlOf(database.connection) })
  const sql = (text: string, ...values: unknown[]) => opened.app.database.read({ text, values })
  await sql(
    "insert into companies (name, currency, plan, add_ons, is_demo) values ($1, 'USD', 'PRO', '{api}', true)",
    hostile,
  )
  await sql(
    "insert into accounts (company_id, name, email, permissions) values (1, $1, 'a@example.com', '{PROJECTS_VIEW}')",
    hostile,
  )
  await sql('insert into demo_accounts (company_id, account_id) values (1, 1)')
})
afterAll(async () => {
  await opened.close()
  await database.drop()
  await stage.clear()
})

const give = (...words: string[]) => stage.give(words, { DATABASE_URL: urlOf(database.connection) })

describe('What somebody wrote into the data is no command to the terminal', () => {
  test.each([
    [['token', 'issue', '--company', '1', '--account', '1', '--label', hostile.slice(0, 60)]],
    [['company', 'show', '1']],
    [['company', 'set', '1', '--plan', 'PRO']],
    [['account', 'set', '1', '--permissions', 'PROJECTS_VIEW']],
    [['record', 'create', 'trades', '--company', '1', '--json-body', '{"name":"Bricklayer"}']],
    [['token', 'show', '--company', '1']],
    [['token', 'rotate', '--company', '1']],
    [['token', 'revoke', '--company', '1']],
    [['demo']],
    [['doctor']],
  ])('%j', async (words) => {
    for (const more of [[], ['--json']]) {
      const { out, err } = await give(...words, ...more)
      expect(out + err).not.toBe('')
      expect(out).not.toMatch(dangerous)
      expect(err).not.toMatch(dangerous)
      // No name begins a line that looks like one of ours.
      expect(out).not.toMatch(/^Token plumb_live_x/m)
    }
  })

  test('It is shown as what it is, and JSON still holds it as it was.', async () => {
    expect((await give('company', 'show', '1')).out.split('\n')[0]).toBe(`${shown} (company 1)`)
    expect(JSON.parse((await give('company', 'show', '1', '--json')).out).name).toBe(hostile)
  })

  test('A mistake says it harmlessly too.', async () => {
    const { err } = await give('record', 'create', hostile, '--company', '1', '--json-body', '{}')
    expect(err).toContain('There is no kind of record')
    expect(err).not.toMatch(dangerous)
    expect((await give('--json', 'record', 'create', hostile)).err).not.toMatch(dangerous)
  })

  test('What is meant to be there stays: letters of every script, and our own lines.', async () => {
    await give('company', 'set', '1', '--name', 'Köpenick 東京 שלום عمارة 👷‍♀️')
    expect((await give('company', 'show', '1')).out).toMatch(/^Köpenick 東京 שלום عمارة 👷‍♀️ \(company 1\)\n {2}Plan/)
  })
})
