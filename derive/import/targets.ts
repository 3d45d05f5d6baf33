import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { foldLabel } from '#registry/fields/spelling.ts'
import { type Catalogue, columnLabel, memberLabel } from '../labels.ts'

/** The targets of columns, and the most likely one of each. */

/** A field, or a member of one, such as `billing_address.city`. */
export type Target = { path: string; name: string; member: string | undefined; field: Field }

/**
 * Returns the id, by which records are found, and all fields that can be sent, except lists of lines, which do not fit
 * into a row.
 */
export const targetsOf = (definition: Definition): Target[] =>
  columnsOf(definition).filter(
    ({ name, field }) => name === 'id' || !(definition.fields[name]?.readOnly || kindOf(field).many),
  )

/** Returns all columns of an export: each field, or each of its members. */
export function columnsOf({ fields }: Definition): Target[] {
  return Object.entries(fields).flatMap(([name, field]): Target[] => {
    const kind = kindOf(field)
    const members = kind.many ? undefined : kind.members?.(field)
    if (!members) return [{ path: name, name, member: undefined, field }]
    return Object.entries(members).map(([member, inside]) => ({
      path: `${name}.${member}`,
      name,
      member,
      field: inside,
    }))
  })
}

/**
 * Returns the fields by which a row can find its record: the id, unique ones, the title, and those whose kind compares
 * values.
 */
export const matchFieldsOf = ({ fields, title }: Definition): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const { text, comparison } = kindOf(field)
    const isFound = field.unique || (name === title && text === 'line') || comparison !== undefined
    return name === 'id' || (isFound && !field.readOnly) ? [name] : []
  })

/** Guesses the targets: column → path. The choice of the last import counts first. */
export function guess(
  definition: Definition,
  columns: readonly string[],
  catalogues: readonly Catalogue[],
  remembered: { readonly [column: string]: string } = {},
): { [column: string]: string } {
  const named = targetsOf(definition).map((target) => ({
    path: target.path,
    ...namesOf(definition, target, catalogues),
  }))
  const chosen: { [column: string]: string } = {}
  const labelsOf = (column: Target): string[] =>
    catalogues.map((catalogue) => columnLabel(catalogue, definition, column))
  const labels = targetsOf(definition).flatMap(labelsOf)
  /** The labels of fields that the service works out: "Tax" of an invoice is not its "Tax, %". */
  const readOnlyLabels = columnsOf(definition)
    .filter(({ path }) => named.every((target) => target.path !== path))
    .flatMap(labelsOf)
    .filter((label) => !labels.includes(label))
  for (const rank of ['last', 'own', 'exact', 'labels', 'others'] as const) {
    const isOpen = (one: string): boolean =>
      !Object.hasOwn(chosen, one) && (rank === 'last' || !readOnlyLabels.includes(one))
    for (const column of columns.filter(isOpen)) {
      const last = Object.hasOwn(remembered, column) ? remembered[column] : undefined
      const wanted = rank === 'exact' ? column : foldLabel(column)
      const left = named.filter(({ path }) => !Object.values(chosen).includes(path))
      const found = left.find((one) =>
        rank === 'last' ? one.path === last : wanted !== '' && one[rank].includes(wanted),
      )
      if (found) chosen[column] = found.path
    }
  }
  return chosen
}

/** Returns the columns that most likely belong to fields which the importing account may not see. */
export function withheldColumns(
  whole: Definition,
  visible: Definition,
  columns: readonly string[],
  catalogues: readonly Catalogue[],
): string[] {
  const open = targetsOf(visible).map(({ path }) => path)
  return Object.entries(guess(whole, columns, catalogues)).flatMap(([column, path]) =>
    open.includes(path) ? [] : [column],
  )
}

/** Returns the names of a target: as programs spell it, as the interface labels it, and synonyms. */
function namesOf(definition: Definition, target: Target, catalogues: readonly Catalogue[]) {
  const { path, name, member } = target
  const labels = catalogues.map((catalogue) => columnLabel(catalogue, definition, target))
  const inside = member === undefined ? [] : catalogues.map((catalogue) => memberLabel(catalogue, member))
  const short = [name.replace(/_(minor|id|on)$/, ''), member ?? '']
  const others = synonyms[member ?? name] ?? []
  return {
    own: [foldLabel(path)],
    // "Discount" is not "Discount, %", of which the sign is folded away.
    exact: labels,
    labels: labels.map(foldLabel),
    // "Payment terms, days" is headed without its unit, too.
    others: [...labels.map((label) => label.split(/[,(]/, 1)[0] as string), ...inside, ...short, ...others]
      .map(foldLabel)
      .filter((one) => one !== ''),
  }
}

/** Headings of such a column in other programs. */
const synonyms: { readonly [name: string]: readonly string[] } = {
  external_ref: [
    'reference',
    'ref',
    'external id',
    'number',
    'no',
    'Referenz',
    'Nummer',
    'Nr',
    'Kd-Nr',
    'Kundennummer',
    'customer no',
    'customer number',
  ],
  name: ['company', 'company name', 'Firma', 'Bezeichnung', 'Projekt', 'project', 'customer', 'Kundenname'],
  contact_name: ['contact', 'contact person', 'Ansprechpartner', 'Kontakt'],
  email: ['mail', 'e-mail address', 'E-Mail-Adresse'],
  phone: ['tel', 'telephone', 'phone number', 'Telefonnummer', 'Rufnummer'],
  website: ['web', 'homepage', 'url', 'Internet'],
  tax_id: ['vat', 'vat id', 'vat number', 'USt-IdNr', 'Umsatzsteuer-ID', 'Steuernummer'],
  notes: ['note', 'comment', 'remarks', 'Bemerkung', 'Notiz', 'Kommentar'],
  client_id: ['customer', 'Kunde', 'Auftraggeber'],
  line1: ['street', 'address', 'Strasse', 'Anschrift', 'Adresse'],
  city: ['town', 'Ort', 'Stadt'],
  region: ['state', 'county', 'Bundesland'],
  postal_code: ['zip', 'zip code', 'postcode', 'PLZ'],
  country: ['Land', 'country code', 'Staat'],
}
