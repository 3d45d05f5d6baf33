import { company } from '#registry/company.ts'
import type { Definition, PaperDefinition } from '#registry/definition.ts'
import { formatDay } from '#registry/fields/day.ts'
import { type Field, kindOf, numberingOf } from '#registry/fields/index.ts'
import type { Line } from '#registry/fields/lines.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { lineTotal } from '#registry/resources/totals.ts'
import { type LanguageCode, languages } from '#registry/words/index.ts'
import { addressLines } from './address-lines.ts'
import { formatMoney, formatNumber, formatPercent } from './format-number.ts'
import { spellText } from './format-printable.ts'
import { columnLabel, memberLabel, oneLabel, valueLabels } from './labels.ts'
import type { PaperAddress, PaperContent, PaperLetterhead, PaperRecord } from './paper-content.ts'
import { charactersWithoutGlyph } from './paper-font.ts'
import { formatValue } from './parse-value.ts'

/** Papers as blocks of text. The page prints them, and the service draws the same ones as PDF. Decisions, Papers. */

/** The blocks of a paper, in the order of reading. Each text is one line, spelled as texts of others are. */
export type PaperBlocks = {
  language: LanguageCode
  size: PaperSize
  /** Kind and number, such as “Invoice INV-000051”. */
  title: string
  /** The label of a state that stands across each page: of a draft, or of a paper that no longer counts. */
  across: string | null
  letterhead: { name: string; lines: readonly string[]; logo: string | null }
  addressee: readonly string[]
  facts: readonly LabelledText[]
  /** The name of the record, if it has one besides its number. */
  subject: string | null
  table: { head: PaperRow; rows: readonly PaperRow[] }
  totals: readonly LabelledText[]
  texts: readonly LabelledLines[]
  bank: readonly LabelledText[]
  footer: readonly string[]
}

/** Letter is the size of the United States and Canada, A4 (ISO 216) that of the others. */
export type PaperSize = 'A4' | 'LETTER'
export type LabelledText = { label: string; text: string }
export type LabelledLines = { label: string; lines: readonly string[] }
/** Description, quantity with its unit, price of a unit, amount. */
export type PaperRow = readonly [description: string, quantity: string, price: string, amount: string]

/**
 * Returns the blocks of a paper in the language of its letterhead, or in English. `across` is the state whose label stands
 * across it.
 */
export function paperBlocks(definition: PaperDefinition, content: PaperContent, across: string | null): PaperBlocks {
  const { record, addressee, letterhead } = content
  const language = letterhead.paper_language ?? 'en'
  const { locale, catalogue } = languages[language]
  const { paper, fields } = definition
  const home = letterhead.address?.country ?? null
  const label = (name: string): string => columnLabel(catalogue, definition, { name, member: undefined })
  const { currency } = letterhead
  const money = (minor: number): string => formatMoney(minor, currency, locale)
  /** Returns the fields of the company that have a value. */
  const ofCompany = (...names: (keyof PaperLetterhead & keyof typeof company.fields)[]): LabelledText[] =>
    names.flatMap((name) =>
      lineOf(formatValue(letterhead[name] ?? null, company.fields[name], { language: locale, currency })).map(
        (text) => ({
          label: columnLabel(catalogue, company, { name, member: undefined }),
          text,
        }),
      ),
    )
  const { many: lines = '', numbered = '' } = fieldNames(fields)
  const inText = (name: string): boolean => isParagraph(fields[name])
  const texts = paper.texts ?? []
  const member = (name: keyof Line): string => memberLabel(catalogue, name, 'lines')

  return {
    language,
    size: home === 'US' || home === 'CA' ? 'LETTER' : 'A4',
    title: [oneLabel(catalogue, definition), ...lineOf(record[numbered])].join(' '),
    across: across === null ? null : stateLabel(definition, across, language),
    letterhead: {
      name: spellLine(letterhead.name),
      lines: [
        ...addressOf(letterhead.address, home, locale),
        ...[letterhead.phone, letterhead.email, letterhead.website].flatMap(lineOf),
        ...ofCompany('tax_id', 'registration_no').map(({ label, text }) => `${label} ${text}`),
      ],
      logo: letterhead.logo ?? null,
    },
    addressee: [
      ...new Set([...lineOf(addressee?.name), ...lineOf(addressee?.contact_name)]),
      ...addressOf(addressee?.billing_address, home, locale),
    ],
    facts: [
      ...paper.dates.flatMap((name) => dayOf(record[name], locale).map((text) => ({ label: label(name), text }))),
      ...texts
        .filter((name) => !inText(name))
        .flatMap((name) => lineOf(record[name]).map((text) => ({ label: label(name), text }))),
      ...lineOf(addressee?.tax_id).map((text) => ({ label: catalogue.paper.clientTax, text })),
    ],
    subject: definition.title === numbered ? null : (lineOf(record[definition.title])[0] ?? null),
    table: {
      head: [member('description'), member('quantity'), member('unit_price_minor'), catalogue.paper.amount],
      rows: (record[lines] as Line[]).map((line) => [
        spellLine(line.description),
        [formatNumber(line.quantity, locale), ...lineOf(line.unit)].join(' '),
        money(line.unit_price_minor),
        money(Number(lineTotal(line))),
      ]),
    },
    totals: totalsOf(record).map(({ name, minor, percent }) => ({
      label: percent === null ? label(name) : `${label(name)} ${formatPercent(percent, locale)}`,
      text: money(minor),
    })),
    texts: texts
      .filter(inText)
      .map((name) => ({ label: label(name), lines: linesOf(record[name]) }))
      .filter(({ lines }) => lines.length > 0),
    bank: ofCompany('bank_name', 'iban', 'bic'),
    footer: linesOf(letterhead.footer),
  }
}

/** Returns the characters of a paper that its PDF shows as a box. */
export const boxedCharacters = (blocks: PaperBlocks): string[] => charactersWithoutGlyph(JSON.stringify(blocks))

/** Returns the number of a record, or what names one without a number: “invoice-7”. */
export function paperName({ one, fields }: PaperDefinition, record: PaperRecord): string {
  const { numbered = '' } = fieldNames(fields)
  return lineOf(record[numbered])[0] ?? `${one}-${record.id}`
}

/** Returns the names of the field with a running number and of the list of lines. */
const fieldNames = (fields: Definition['fields']): { numbered?: string; many?: string } =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => [
      ...(numberingOf(field) === undefined ? [] : [['numbered', name]]),
      ...(kindOf(field).many ? [['many', name]] : []),
    ]),
  )

const isParagraph = (field: Field | undefined): boolean => field !== undefined && kindOf(field).text === 'paragraph'

function stateLabel(definition: Definition, state: string, language: LanguageCode): string {
  const { locale, catalogue } = languages[language]
  return valueLabels([catalogue], definition)(state).join('').toLocaleUpperCase(locale)
}

/** Returns the sums of a priced record: all steps to the total if there is a discount or a tax. */
function totalsOf(record: JsonObject): { name: string; minor: number; percent: number | null }[] {
  const { discount_pct, tax_pct, subtotal_minor, discount_minor, tax_minor, total_minor } = record
  const steps = [
    ...(discount_minor === 0
      ? []
      : [{ name: 'discount_minor', minor: -Number(discount_minor), percent: discount_pct }]),
    ...(tax_pct === null ? [] : [{ name: 'tax_minor', minor: Number(tax_minor), percent: tax_pct }]),
  ]
  const first = { name: 'subtotal_minor', minor: Number(subtotal_minor), percent: null }
  const last = { name: 'total_minor', minor: Number(total_minor), percent: null }
  return [...(steps.length === 0 ? [] : [first]), ...steps, last].map(({ percent, ...sum }) => ({
    ...sum,
    percent: typeof percent === 'number' ? percent : null,
  }))
}

const addressOf = (address: PaperAddress | null | undefined, home: string | null, locale: string): string[] =>
  address ? addressLines(address, home, locale).map(spellLine) : []

const dayOf = (day: Json | undefined, locale: string): string[] =>
  typeof day === 'string' ? [formatDay(day, { language: locale, currency: '' })] : []

/** Returns a text as a list of one line, or an empty list if there is none. */
const lineOf = (text: Json | undefined): string[] => (typeof text === 'string' && text !== '' ? [spellLine(text)] : [])

/** Returns the lines of a text. An empty line stays between two others. */
const linesOf = (text: Json | undefined): string[] =>
  typeof text === 'string'
    ? text
        .trim()
        .split(/\r\n?|\n/)
        .map(spellLine)
    : []

/** Spells a text of others within a line, with single blanks, as a page shows it. */
const spellLine = (text: string): string => spellText(text.replaceAll(/[ \t\r\n]+/g, ' ')).text
