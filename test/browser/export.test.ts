import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMilliseconds } from '#derive/moment.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { press, violations, visit } from './steps.ts'

/** A list as a file. */

let stage: BrowserStage
let admin: Admin
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  const client_id = await admin.record('clients', { name: 'Acme' })
  const project_id = await admin.record('projects', { name: 'Quay', client_id, contract_minor: 125_050 })
  const worker_id = await admin.record('workers', { name: 'Ada' })
  const worked_on = new Date(Date.now() - 7 * dayMilliseconds).toISOString().slice(0, 10)
  await admin.record('time_entries', { worker_id, project_id, worked_on, hours: 7.5 })
})
afterAll(() => stage.close())

const looks = [
  {
    ...{ locale: 'en-GB', width: 1440, button: 'Export CSV', form: 'For people: titles, labels and amounts' },
    ...{ other: 'Semicolon between cells', week: 'Last week by worker, with sums', usual: ',', chosen: ';' },
  },
  {
    ...{ locale: 'de-DE', width: 390, button: 'CSV exportieren', form: 'Für Menschen: Titel, Wörter und Beträge' },
    ...{
      other: 'Komma zwischen den Zellen',
      week: 'Letzte Woche nach Mitarbeiter, mit Summen',
      usual: ';',
      chosen: ',',
    },
  },
]

describe.each(looks)('In $locale, $width wide', ({ locale, width, button, form, other, week, usual, chosen }) => {
  test('a list is exported for people, and the browser remembers the separator', async () => {
    const page = await stage.enter(admin, { locale, viewport: { width, height: 844 } })
    const download = async (item: string): Promise<string> => {
      await press(page, button)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item, exact: true }).click(),
      ])
      return readFile(await file.path(), 'utf8')
    }
    await visit(stage, page, '/projects')
    const [head, row] = (await download(form)).split('\r\n')
    expect(head).toMatch(new RegExp(`^\ufeffID${usual}Name${usual}`))
    expect(row?.split(usual)).toContain('Acme')

    await press(page, button)
    expect(await violations(page)).toEqual([])
    await page.getByRole('menuitemradio', { name: other }).click()
    await page.keyboard.press('Escape')
    await visit(stage, page, '/projects')
    expect(await download(form)).toMatch(new RegExp(`^\ufeffID${chosen}Name${chosen}`))

    await visit(stage, page, '/time_entries')
    expect((await download(week)).split('\r\n')[1]).toMatch(/^Ada\W.*7[.,]5"?$/)
    expect(stage.quiet()).toEqual([])
    await page.context().close()
  })
})
