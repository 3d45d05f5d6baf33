import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type PdfFile, readPdf } from '../paper/read-pdf.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { dialogViolations, press, violations, visit } from './steps.ts'

/** Papers as they are shown, printed and sent. Decisions, Papers. */
let stage: BrowserStage
let admin: Admin
let page: Page
let client: number
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  const address = { line1: '1 Quay Street', city: 'Millbrook', region: 'ME', postal_code: '04067', country: 'US' }
  const named = { name: 'Quay Trust', contact_name: 'Ines', email: 'ines@quay.example', billing_address: address }
  client = await admin.record('clients', named)
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const lines = [
  { description: 'Wall', quantity: 2, unit: 'm2', unit_price_minor: 50_000 },
  { description: 'Coping', quantity: 1, unit: null, unit_price_minor: 20_000 },
]
const invoice = (more: object = {}) =>
  admin.record('invoices', {
    ...{ client_id: client, lines, discount_pct: 2.5, tax_pct: 8.875, note: 'Thank you.\nSee you soon.' },
    ...{ issued_on: '2026-03-01', due_on: '2026-03-31', status: 'ISSUED' },
    ...more,
  })

const paper = () => page.getByRole('article')
/** The texts of the elements of the paper, in their order. */
const textsOfPage = () =>
  page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode.textContent)
    return texts.filter((text) => text.trim() !== '')
  })()`)
const fileOf = async (): Promise<PdfFile> => {
  const link = page.getByRole('link', { name: 'PDF' })
  const answer = await page.request.get(stage.url + (await link.getAttribute('href')))
  return readPdf(await answer.body())
}

describe('A paper', () => {
  test('opens as PDF by one press, and as a mail draft by two', async () => {
    const id = await invoice()
    await visit(stage, page, `/invoices/${id}/show`)
    const [request] = await Promise.all([
      page.context().waitForEvent('request', (one) => one.url().includes('paper.pdf')),
      page.getByRole('link', { name: 'PDF' }).click(),
    ])
    expect(request.url()).toContain(`/console/records/invoices/${id}/paper.pdf`)
    await page.getByRole('link', { name: 'Print or send' }).click()
    const draft = page.getByRole('link', { name: 'E-mail draft' })
    await draft.and(page.locator('[href*="ines@quay"]')).waitFor()
    expect(await draft.getAttribute('href')).toMatch(/^mailto:ines@quay\.example\?subject=Invoice%20INV-/)
  })

  test.each([
    ['of an issued invoice', 'invoices', {}],
    ['of a draft invoice', 'invoices', { status: 'DRAFT' }],
    ['of an estimate', 'estimates', { status: 'SENT', title: 'Wall and coping' }],
  ])('%s has the same texts on its page and in its PDF', async (_, kind, more) => {
    const estimate = { client_id: client, lines, ...more }
    const id = kind === 'invoices' ? await invoice(more) : await admin.record(kind, estimate)
    await visit(stage, page, `/paper/${kind}/${id}`)
    await paper().waitFor()
    const { pages, title } = await fileOf()
    const texts = pages.flatMap((one) => one.texts)
    expect(texts.pop()).toBe('Page 1 of 1')
    expect(await textsOfPage()).toEqual(texts)
    expect(await paper().getAttribute('aria-label')).toBe(title)
    expect(await violations(page)).toEqual([])
  })

  test('is printed alone, without menu and buttons', async () => {
    await visit(stage, page, `/paper/invoices/${await invoice()}`)
    await paper().waitFor()
    const printed = await readPdf(await page.pdf({ preferCSSPageSize: true }))
    const texts = printed.pages.flatMap((one) => one.texts).join(' ')
    expect(texts).toContain('Quay Trust')
    for (const word of ['Home', 'Print', 'E-mail draft', 'Settings']) expect(texts).not.toContain(word)
  })

  test('is handed on as a file where the browser can', async () => {
    const sharing = await stage.enter(admin)
    await sharing.addInitScript(`
      navigator.canShare = ({ files }) => files.length === 1
      navigator.share = async ({ files: [file] }) => { document.title = [file.name, file.type, file.size > 10000].join(' ') }
    `)
    await sharing.reload()
    await visit(stage, sharing, `/paper/invoices/${await invoice({ number: 'INV-77' })}`)
    await press(sharing, 'Share')
    await expect.poll(() => sharing.title()).toBe('INV-77.pdf application/pdf true')
    await sharing.context().close()
  })

  test('that was sent is noted with its way and its day, and the estimate becomes SENT by it', async () => {
    const id = await admin.record('estimates', { title: 'Roof', client_id: client, lines })
    await visit(stage, page, `/paper/estimates/${id}`)
    await page.getByText(/Not fixed yet/).waitFor()
    await press(page, 'Mark as sent')
    const dialog = page.getByRole('dialog', { name: 'Mark as sent' })
    expect(await dialogViolations(page)).toEqual([])
    await press(dialog, 'Mark as sent')
    await page.getByText(/Sent on .*, by e-mail/).waitFor()
    expect(await stage.sql('select status from estimates where id = $1', id)).toEqual([{ status: 'SENT' }])

    await admin.call('PATCH', `/v1/estimates/${id}`, { body: { title: 'Roof and 墙' } })
    await visit(stage, page, `/paper/estimates/${id}`)
    await page.getByText(/changed after it was sent. You see it as it is now/).waitFor()
    await page.getByText(/shows a box for these characters.*墙/).waitFor()
    await press(page, 'Show what was sent')
    await paper().getByText('Roof', { exact: true }).waitFor()
  })
})
