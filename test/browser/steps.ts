import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import type { BrowserStage } from './stage.ts'

/** What people do on the pages, by role and label. */

/** The page at a place of the interface, loaded afresh. */
export async function visit(stage: BrowserStage, page: Page, place: string): Promise<void> {
  const url = `${stage.url}/#${place}`
  if (page.url().startsWith(`${stage.url}/`)) {
    // The page does not hear of the new address, so it is loaded, in the same process, which keeps its compiled scripts.
    await page.evaluate(`history.replaceState(null, '', ${JSON.stringify(url)})`)
    await page.reload()
  } else await page.goto(url)
  await page.locator('#content h1').waitFor()
}

/** On to another place as a link leads there, until nothing is asked for and nothing of the page has changed for a while. */
export async function follow(page: Page, place: string): Promise<void> {
  const requests = { begun: 0, open: 0 }
  const begin = () => {
    requests.begun++
    requests.open++
  }
  const end = () => void requests.open--
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
  let before: number
  do {
    before = requests.begun
    await page.evaluate(untilStill)
  } while (requests.open > 0 || requests.begun > before)
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
  await page.locator('#content h1').waitFor()
}

const untilStill = `new Promise((resolve) => {
  const begin = () => setTimeout(() => { changes.disconnect(); resolve() }, 200)
  let timer = begin()
  const changes = new MutationObserver(() => { clearTimeout(timer); timer = begin() })
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
})`

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
  if ((await of.evaluate('typeof axe')) === 'undefined') await of.evaluate(axe.source)
  await of.evaluate(settled)
  // Of what passes nothing is told, so nobody has to find out how to name it.
  const run = `axe.run(${within}, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`
  const { violations: all } = (await of.evaluate(run)) as {
    violations: { id: string; help: string; nodes: { html: string }[] }[]
  }
  return all.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}

/** A dialog that fades in has other colours on the way; what turns for ever is not waited for. */
const settled = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  ).then(() => undefined))`
