import { type Browser, type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { buildConsole } from '#server/commands/build-console.ts'
import { createAccount, setAccount } from '#server/service/account.ts'
import { type Company, type CompanyOptions, openStage, type Stage } from '../stage/stage.ts'

/** The real pages in a real Chromium, over the real service on a database of its own. */
export type BrowserStage = Stage & {
  browser: Browser
  /** A company whose account can sign in. */
  admin(options?: CompanyOptions): Promise<Admin>
  /** Somebody else of the company, who can sign in. */
  colleague(admin: Admin, permissions: readonly string[], email?: string): Promise<Admin>
  /** A page of its own session; what is wrong with it is kept until `quiet` looks. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** Signed in, on the first page. */
  enter(admin: Admin, options?: BrowserContextOptions): Promise<Page>
  /** What pages have reported or asked of others since the last time. */
  quiet(): string[]
}

export type Admin = Company & { email: string; password: string }

const password = 'correct horse battery'

export async function openBrowserStage(environment: { [name: string]: string } = {}): Promise<BrowserStage> {
  await buildConsole(() => undefined)
  const stage = await openStage(environment)
  const browser = await driver.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  const reports: string[] = []

  const open: BrowserStage['open'] = async (options = {}) => {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    watch(page, stage.url, reports)
    return page
  }
  return {
    ...stage,
    browser,
    open,
    admin: async (options) => {
      const company = await stage.company(options)
      const email = `${crypto.randomUUID()}@example.com`
      await stage.inTransaction((transaction) =>
        setAccount(transaction, company.id, company.accountId, { email, password }),
      )
      return { ...company, email, password }
    },
    colleague: async (admin, permissions, email = `${crypto.randomUUID()}@example.com`) => {
      const account = { name: 'Grace', email, password, permissions }
      await stage.inTransaction((transaction) => createAccount(transaction, admin.id, account))
      return { ...admin, email }
    },
    enter: async (admin, options) => {
      const page = await open(options)
      await page.goto(stage.url)
      await page.locator('input[name=email]').fill(admin.email)
      await page.locator('input[name=password]').fill(admin.password)
      await page.keyboard.press('Enter')
      await page.locator('#content h1').waitFor()
      return page
    },
    quiet: () => reports.splice(0),
    close: async () => {
      await browser.close()
      await stage.close()
    },
  }
}

/** Path of the browser that `test/stage/chromium.ts` unpacked for this run. */
function browserPath(): string {
  const path = inject('browserPath')
  if (path === null) throw new Error('No browser was unpacked: only tests in test/browser have one.')
  return path
}

/** Every error that the page reports, and every request to somebody else. */
function watch(page: Page, url: string, reports: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message.text())) reports.push(message.text())
  })
  page.on('pageerror', ({ stack, message }) => reports.push(stack ?? message))
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(`${url}/`) || /^(data|blob):/.test(request.url())
    if (!isOurs) reports.push(`a request to ${request.url()}`)
  })
}

/** The browser notes every answer of 4xx as an error; a refusal is expected, and the page says it. */
const isRefusal = (text: string): boolean => /^Failed to load resource: .* status of 4\d\d /.test(text)
