import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routesOn, unreadableRefusals } from '#derive/routes.ts'
import { writableFields } from '#derive/schema.ts'
import { refusals } from '#registry/refusals.ts'
import { projects } from '#registry/resources/projects.ts'
import { type BrowserStage, openBrowserStage } from './stage.ts'

/** The reference page in a browser, where it is drawn: what a developer sees of creating a project. */

let stage: BrowserStage
beforeAll(async () => {
  stage = await openBrowserStage()
})
afterAll(() => stage.close())

const create = 'api-1/tag/projects/POST/v1/projects'

async function reference(width: number): Promise<Page> {
  const page = await stage.open({ viewport: { width, height: 900 } })
  await page.goto(`${stage.url}/v1/docs#tag/projects/POST/v1/projects`)
  page.setDefaultTimeout(20_000)
  await page.locator(`[id="${create}"] .tab-list .tab`).first().waitFor()
  return page
}

describe.each([{ width: 1440 }, { width: 390 }])('The reference page, $width wide', ({ width }) => {
  test('shows the 201 first and every refusal in sight, a sample with a key, fields in their order, the object', async () => {
    const page = await reference(width)
    const section = page.locator(`[id="${create}"]`)
    const tabs = section.locator('.tab-list .tab')
    const codes = [...routesOn(projects).create.refusals, ...unreadableRefusals]
    const statuses = codes.map((code) => String(refusals[code].status))
    const shownStatuses = (await tabs.allInnerTexts()).map((text) => text.replace(/\D*\n/, ''))
    expect(shownStatuses).toEqual(['200', '201', ...new Set(statuses)].toSorted())
    const card = await section.locator('.scalar-card-header-tabs').boundingBox()
    for (const tab of await tabs.all()) {
      const place = await tab.boundingBox()
      expect(place && card && place.x >= card.x && place.x + place.width <= card.x + card.width).toBe(true)
    }

    expect(await section.innerText()).toContain('Idempotency-Key: $KEY')
    const shown = await section.locator('.property-name').allInnerTexts()
    const sent = writableFields(projects).map(([name]) => name)
    // The first twelve; the others come when they are asked for.
    expect(shown.filter((name) => sent.includes(name))).toEqual(sent.slice(0, 12))
    await page.context().close()
  })
})

/** For the browser: labels whose text ends behind the edge of their card or of the window, of creating a project and the paths of all. */
const cutLabels = `
  [...document.getElementById('${create}').querySelectorAll('.tab, .property-name'), ...document.querySelectorAll('.endpoint-path')]
    .filter((label) => {
      const range = document.createRange()
      range.selectNodeContents(label)
      const { right, width } = range.getBoundingClientRect()
      const card = (label.closest('.scalar-card') ?? document.body).getBoundingClientRect()
      return width > 0 && right > Math.min(card.right, innerWidth) + 1
    })
    .map((label) => label.textContent)`

test.each([{ width: 390 }, { width: 1400 }])(
  'No label of the reference page is cut, $width wide',
  async ({ width }) => {
    const page = await reference(width)
    await page.locator('.endpoint-path').first().waitFor()
    expect(await page.locator('.endpoint-path').count()).toBeGreaterThan(6)
    expect(await page.locator(`[id="${create}"] .property-name`).count()).toBeGreaterThan(3)
    expect(await page.evaluate(cutLabels)).toEqual([])
    await page.context().close()
  },
)

describe('A first click on Test Request writes nothing', () => {
  const rows = [
    { method: 'POST', path: '/v1/clients' },
    { method: 'DELETE', path: '/v1/clients/{id}' },
  ]
  test.each(rows)('$method $path sends X-Dry-Run: 1', async ({ method, path }) => {
    const company = await stage.company()
    const page = await stage.open({ viewport: { width: 1400, height: 900 } })
    await page.goto(`${stage.url}/v1/docs#tag/clients/${method}${path}`)
    const section = page.locator(`[id="api-1/tag/clients/${method}${path}"]`)
    await section
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('X-Dry-Run').first().waitFor()
    await dialog.getByPlaceholder('Token').filter({ visible: true }).first().fill(company.token)
    const sending = page.waitForRequest((request) => request.method() === method && request.url().startsWith(stage.url))
    await dialog.getByRole('button', { name: /^Send/ }).filter({ visible: true }).first().click()
    const request = await sending
    const headers = await request.allHeaders()
    expect(headers['x-dry-run']).toBe('1')
    for (const name of ['idempotency-key', 'if-plan', 'if-match', 'if-none-match', 'prefer'])
      expect(headers, name).not.toHaveProperty(name)
    expect(new URL(request.url()).search).toBe('')
    expect(headers.authorization).toBe(`Bearer ${company.token}`)
    const response = await request.response()
    if (method === 'POST') expect(await response?.json()).toMatchObject({ data: { dry_run: true } })
    else expect(response?.status()).toBe(404)
    expect((await company.get('/v1/changes')).body.data).toEqual([])
    await page.context().close()
  })
})

test('The object is in the section of its operations', async () => {
  const page = await reference(1440)
  const entry = page.locator('aside, nav').getByText('ProjectPart', { exact: true })
  await entry.first().waitFor()
  await page.context().close()
})
