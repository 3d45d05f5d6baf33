import { describe, expect, test } from 'vitest'
import { errorsPage } from '#derive/errors-page.ts'
import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { referencePage, referencePolicy } from '#derive/reference-page.ts'
import { fieldCodes } from '#registry/field-codes.ts'
import { refusals } from '#registry/refusals.ts'
import { errorsMarkdown } from './errors-markdown.ts'
import { about, base, served } from './registries.ts'

const asset = '/v1/docs/scalar.js'
const reference = referencePage({ ...about, asset })

describe('The reference page', () => {
  test('has no script of its own, so the policy can refuse inline scripts [V1.2.3]', () => {
    const scripts = [...reference.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
    expect(scripts.map(([, , text]) => text)).toEqual(['', ''])
    expect(scripts[1]?.[1]).toBe(` src="${asset}"`)
    expect(reference).not.toMatch(/ on\w+=/)
    expect(referencePolicy).toContain("script-src 'self'")
    expect(referencePolicy.split('; ').filter((part) => /https?:|\*|unsafe-eval/.test(part))).toEqual([])
  })

  test('shows the served document and switches off all that would talk to another host', () => {
    const text = /data-configuration="([^"]*)"/.exec(reference)?.[1]?.replaceAll('&quot;', '"') ?? ''
    expect(JSON.parse(text)).toMatchObject({
      url: '/v1/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    })
    expect(text).not.toContain('proxyUrl')
  })

  test('leads to the documents where there is no JavaScript', () => {
    const [, text] = /<noscript>([\s\S]*)<\/noscript>/.exec(reference) ?? []
    expect(text).toContain('href="/v1/openapi.json"')
    expect(text).toContain('href="/v1/postman.json"')
  })

  test('keeps what it is given out of its markup [V1.2.1] [V1.3.7]', () => {
    const page = referencePage({ base: 'https://x.test/"><script>', version: '<b>', asset: '/a"b.js' })
    expect(page).not.toContain('"><script>')
    expect(page).not.toContain('<b>')
    expect(page).toContain('src="/a&quot;b.js"')
  })
})

describe('The errors page', () => {
  const page = errorsPage()
  test('has one section a code, where the type of a refusal leads', () => {
    const ids = [...page.matchAll(/<section id="([^"]+)">/g)].map(([, id]) => id)
    expect(ids).toEqual([...Object.keys(refusals), 'field-codes'])
  })

  test('explains every field code of a 422', () => {
    for (const code of Object.keys(fieldCodes)) expect(page).toContain(`<dt><code>${code}</code></dt>`)
  })

  test('needs no script', () => {
    expect(page).not.toContain('<script')
  })

  test('says the same in docs/errors.md', () => {
    const markdown = errorsMarkdown()
    for (const [code, { status, when, advice }] of Object.entries(refusals)) {
      expect(markdown).toContain(`## ${code}\n\n**${status}** `)
      expect(markdown).toContain(when)
      expect(markdown).toContain(advice)
    }
  })
})

describe('No document names another host', () => {
  // The first two are the names that the formats ask for; the last stands in examples (RFC 2606) and is never called.
  const allowed = [
    'https://json-schema.org/draft/2020-12/schema',
    'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    'https://example.com',
  ]
  test.each([
    ['OpenAPI', JSON.stringify(openapi(served, about))],
    ['Postman', JSON.stringify(postman(served, about))],
    ['reference page', reference],
    ['errors page', errorsPage()],
    ['errors.md', errorsMarkdown()],
  ])('%s', (_, text) => {
    const addresses = [...text.matchAll(/https?:\/\/[\w.-]+[^\s"'\\<>)&]*/g)].map(([address]) =>
      address.replace(/[.,]$/, ''),
    )
    expect(addresses.filter((address) => !address.startsWith(base) && !allowed.includes(address))).toEqual([])
  })
})
