import { describe, expect, test } from 'vitest'
import { paperBlocks } from '#derive/paper.ts'
import { mailDraft } from '../../console/records/paper/mail-draft.ts'
import { contentOf, definitions, german } from './contents.ts'

describe('The draft of an e-mail', () => {
  const draft = (changes: Parameters<typeof contentOf>[0], email: string | null = 'ines@quay.example') =>
    mailDraft(paperBlocks(definitions.invoices, contentOf(changes), null), email)
  const read = (address: string) => {
    const { pathname, searchParams } = new URL(address)
    return { to: decodeURIComponent(pathname), subject: searchParams.get('subject'), body: searchParams.get('body') }
  }

  test('has the address of the client, and a subject and a text in the language of the paper.', () => {
    expect(read(draft({}))).toEqual({
      to: 'ines@quay.example',
      subject: 'Invoice INV-000051, Harbor & Sons',
      body: 'Dear Bristol Harbour Trust,\r\n\r\nplease find attached our Invoice INV-000051.\r\n\r\nKind regards\r\nHarbor & Sons',
    })
    expect(read(draft({ letterhead: german })).body).toContain('anbei erhalten Sie: Rechnung INV-000051.')
    expect(read(draft({}, null)).to).toBe('')
  })

  test.each([
    [
      'names of many letters',
      { addressee: { name: '墙'.repeat(200) }, letterhead: { name: 'Ü'.repeat(200) } },
      'a@b.example',
    ],
    ['an address that is too long', {}, `${'ü'.repeat(400)}@b.example`],
    ['half a character', { addressee: { name: '\ud800' } }, 'a@b.example'],
  ])('has at most 1,800 characters, also with %s.', (_, changes, email) => {
    const address = draft(changes, email)
    expect(address.length).toBeLessThanOrEqual(1_800)
    expect(read(address).subject).toContain('Invoice INV-000051')
  })

  test('gives no name a way to add a recipient or a header.', () => {
    const address = draft({ letterhead: { name: 'x&bcc=eve@evil.example\r\nBcc: y' } })
    expect([...new URL(address).searchParams.keys()]).toEqual(['subject', 'body'])
  })
})
