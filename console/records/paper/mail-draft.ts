import type { PaperBlocks } from '#derive/paper.ts'
import { languages } from '#registry/words/index.ts'
import { draftAddress } from '../../client/link-address.ts'

/** Longer addresses are cut by some mail programs and systems. */
const addressMax = 1800

/**
 * Returns the address of a mail draft (RFC 6068) that announces a paper, in its language. Long names are cut until the whole
 * fits; an address that does not fit at all is left out.
 */
export function mailDraft({ language, title, letterhead, addressee }: PaperBlocks, email: string | null): string {
  const { mail } = languages[language].catalogue.paper
  const draft = (to: string | null, max: number): string => {
    const [name = '', paper = '', company = ''] = [addressee[0] ?? '', title, letterhead.name].map((text) =>
      cut(text, max),
    )
    return draftAddress(to, `${paper}, ${company}`, mail(name, paper, company))
  }
  const drafts = [email, null].flatMap((to) => [200, 80, 40, 20, 10].map((max) => draft(to, max)))
  return drafts.find(({ length }) => length <= addressMax) as string
}

const cut = (text: string, max: number): string => {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
