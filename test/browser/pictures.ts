import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium as driver, type Page } from 'playwright-core'
import { openBrowserProgram } from '../stage/chromium.ts'

/**
 * The pictures of docs/pictures, of the demo company on a running service:
 * node test/browser/pictures.ts http://127.0.0.1:4810 ada@harbor-masonry.example <the password that it printed>
 */

const [url = '', email = '', password = ''] = process.argv.slice(2)
const folder = join(import.meta.dirname, '../../docs/pictures')

type Picture = { name: string; place: string; scheme?: 'light' | 'dark'; width?: number; locale?: string; tab?: RegExp }

const pictures: readonly Picture[] = [
  { name: 'home', place: '/' },
  { name: 'projects', place: '/projects' },
  { name: 'project', place: '/projects/27/show' },
  { name: 'estimate', place: '/estimates/36' },
  { name: 'settings-api', place: '/settings/api' },
  { name: 'settings-calls', place: '/settings/calls' },
  { name: 'dark', place: '/projects/27/show', scheme: 'dark', tab: /Time entries/ },
  { name: 'phone', place: '/projects', scheme: 'dark', width: 390, locale: 'de-DE' },
]

await mkdir(folder, { recursive: true })
const program = await openBrowserProgram()
try {
  const browser = await driver.launch({ executablePath: program.path, args: ['--no-sandbox'] })
  for (const picture of pictures) await take(browser, picture)
  await browser.close()
} finally {
  await program.remove()
}

async function take(from: Browser, { name, place, scheme = 'light', width = 1280, locale = 'en-GB', tab }: Picture) {
  const viewport = { width, height: width < 600 ? 780 : 820 }
  const context = await from.newContext({ colorScheme: scheme, locale, viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signIn(page)
  await page.goto(`${url}/?picture#${place}`)
  await page.locator('#content h1').waitFor()
  if (tab) await page.getByRole('tab', { name: tab }).click()
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
}

async function signIn(page: Page): Promise<void> {
  await page.goto(url)
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.locator('#content h1').waitFor()
}
