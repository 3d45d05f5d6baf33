import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routesOn, unreadable } from '#derive/routes.ts'
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
    const codes = [...routesOn(projects).create.refusals, ...unreadable]
    const statuses = codes.map((code) => String(refusals[code].status))
    const shownStatuses = (await tabs.allInnerTexts()).map((text) => text.replace(/\D*\n/, ''))
    expect(shownStatuses).toEqual(['200', '201', ...new Set(statuses)].toSorted())
    const card = await section.locator('.scalar-card-header-tabs').boundingBox()
    for (const tab of await tabs.all()) {
      const place = await tab.boundingBox()
      expect(place && card && place.x >= card.x && place.x + place.width <= card.x + card.width).toBe(true)
    }

    expect(await section.innerText()).toContain('Idempotency-Key: $(uuidgen)')
    const shown = await section.locator('.property-name').allInnerTexts()
    const sent = writableFields(projects).map(([name]) => name)
    // The first twelve; the others come when they are asked for.
    expect(shown.filter((name) => sent.includes(name))).toEqual(sent.slice(0, 12))
    await page.context().close()
  })
})

test('The object is in the section of its operations', async () => {
  const page = await reference(1440)
  const entry = page.locator('aside, nav').getByText('ProjectPart', { exact: true })
  await entry.first().waitFor()
  await page.context().close()
})
