import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import type { BrowserStage } from './stage.ts'

/** What people do on the pages, by role and label. */

/** The page at a place of the interface, loaded afresh. */
export async function visit(stage: BrowserStage, page: Page, place: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${stage.url}/#${place}`)
  await page.locator('#content h1').waitFor()
}

/** Types into a field of a form, whatever its kind. */
export async function fill(page: Page | Locator, label: string, value: string): Promise<void> {
  const typed = page.getByRole('textbox', { name: label, exact: true })
  // A day and a password have no role of their own.
  await typed
    .or(page.getByLabel(label, { exact: true }))
    .first()
    .fill(value)
}

/** Chooses from a list of words. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Finds another record by a part of its name. */
export async function refer(page: Page, label: string, part: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(part)
  await page.getByRole('option', { name, exact: true }).click()
}

export const press = (page: Page | Locator, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** The heading of the page. */
export const heading = (page: Page): Promise<string> => page.locator('#content h1').innerText()

/** What axe finds on the page as it stands, each with the element, by all rules of WCAG 2.2 AA and its own. */
export const violations = (of: Page): Promise<string[]> => found(of, 'document')

/** The same of the open dialog. */
export const dialogViolations = (of: Page): Promise<string[]> => found(of, "'[role=dialog]'")

async function found(of: Page, within: string): Promise<string[]> {
  // Evaluated by the driver, whose own world no policy of the page reaches.
  await of.evaluate(axe.source)
  // Of what passes nothing is told, so nobody has to find out how to name it.
  const run = `axe.run(${within}, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`
  const { violations: all } = (await of.evaluate(run)) as {
    violations: { id: string; help: string; nodes: { html: string }[] }[]
  }
  return all.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}
