import { errorsOpening, errorsTitle, fieldCodesOpening } from '#derive/errors-page.ts'
import { fieldCodes } from '#registry/field-codes.ts'
import { refusals } from '#registry/refusals.ts'

/** docs/errors.md: the page /docs/errors for somebody who reads the repository. A test compares the two. */
export function errorsMarkdown(): string {
  const sections = Object.entries(refusals).map(
    ([code, { status, title, when, advice }]) =>
      `## ${code}\n\n**${status}** ${title}.\n\n${when}\n\n*What to do:* ${advice}`,
  )
  const rows = Object.entries(fieldCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return `${[
    `# ${errorsTitle}`,
    ...errorsOpening,
    ...sections,
    '## Field codes',
    fieldCodesOpening,
    ['| Code | Meaning |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')}\n`
}
