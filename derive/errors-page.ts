import { fieldCodes } from '#registry/field-codes.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { escapeHtml, htmlPage } from './html.ts'
import { pathOf } from './reference-page.ts'

/** Returns the page to which the `type` of a refusal leads: one section a code, without a script. */
export function errorsPage(): string {
  const sections = Object.entries(refusals)
  const body = `<main>
<h1>${errorsTitle}</h1>
${errorsOpening.map((text) => `<p>${markCode(text)}</p>`).join('\n')}
<p>The calls themselves are in the <a href="${pathOf('docs')}">reference</a>.</p>
<nav aria-label="Codes">
<ul>
${sections.map(([code, { status }]) => `<li><a href="#${code}"><span>${status}</span> ${code}</a></li>`).join('\n')}
<li><a href="#field-codes"><span>422</span> field codes</a></li>
</ul>
</nav>
${sections.map(section).join('\n')}
<section id="field-codes">
<h2>Field codes</h2>
<p>${markCode(fieldCodesOpening)}</p>
<dl>
${Object.entries(fieldCodes)
  .map(([code, meaning]) => `<dt><code>${code}</code></dt><dd>${escapeHtml(meaning)}</dd>`)
  .join('\n')}
</dl>
</section>
</main>
`
  return htmlPage(`${errorsTitle} · Plumbline API`, `<style>${style}</style>\n`, body)
}

const section = ([code, { status, title, when, advice }]: [
  string,
  (typeof refusals)[RefusalCode],
]): string => `<section id="${code}">
<h2><code>${code}</code></h2>
<p class="title"><span class="status">${status}</span> ${escapeHtml(title)}</p>
<p>${escapeHtml(when)}</p>
<p><strong>What to do.</strong> ${escapeHtml(advice)}</p>
</section>`

/** Marks names between backticks as code. */
const markCode = (text: string): string =>
  escapeHtml(text)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? `<code>${part}</code>` : part))
    .join('')

const style = `
:root { color-scheme: light dark; --text: #1d2327; --quiet: #586069; --line: #d8dde2; --mark: #fff6d6; --link: #0b5c8a; --page: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7ea; --quiet: #a3abb3; --line: #353c43; --mark: #3a3420; --link: #7cc0ea; --page: #15191d }
}
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem 6rem }
h1 { font-size: 1.9rem; margin: 0 0 1rem }
h2 { font-size: 1.15rem; margin: 0 0 .35rem; overflow-wrap: anywhere }
p { margin: .5rem 0 }
a { color: var(--link) }
code { font: .95em ui-monospace, monospace }
nav ul { list-style: none; padding: 0; margin: 1.5rem 0 2.5rem; columns: 15rem; column-gap: 1.5rem }
nav a { text-decoration: none; font: .9rem/1.9 ui-monospace, monospace }
nav a:hover { text-decoration: underline }
nav span, .status { color: var(--quiet) }
section { border-top: 1px solid var(--line); padding: 1.25rem .75rem; margin: 0 -.75rem; scroll-margin-top: 1rem }
section:target { background: var(--mark) }
.title { font-weight: 600 }
dt { margin-top: .75rem }
dd { margin: 0 }
`

/** Texts of the page and of the document of refusals. Names of members stand between backticks. */

export const errorsTitle = 'Errors'

export const errorsOpening = [
  'Every refusal has the same body, `application/problem+json` of RFC 9457. Its `code` is meant for programs and never gets another name; its `detail` says to people what went wrong in this case. The `type` leads to the section of the code on this page.',
  'Quote the `request_id`, which is also in the header `X-Request-Id`, when you ask about an answer.',
]

export const fieldCodesOpening =
  'With `validation_failed`, `errors` has an entry for each field that is wrong: the `field` (as in `lines[2].quantity`, or empty for the body as a whole), a `code` of its own and a `message`.'
