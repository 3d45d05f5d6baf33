import type { JsonObject } from '#registry/json.ts'
import { addressOf, emailOf, formatSlug, phoneOf } from '../places.ts'
import { turn } from '../seeder.ts'
import type { ClientCategory } from './lists.ts'

type ClientRow = readonly [name: string, category: ClientCategory, contact: string, status?: string]

/** The clients, in the order in which the projects name them. */
export const clients = [
  ['Gull Harbor Port Authority', 'Public body', 'Marguerite Bell'],
  ['Saltmarsh Town Council', 'Public body', 'Andrew Pike'],
  ['Alder Point Developments', 'Developer', 'Simone Achebe'],
  ['Stone Quay Housing Association', 'Housing', 'Colin Frazier'],
  ['Parish of St. Brendan', 'Heritage', 'Father Aidan Roe'],
  ['Eastferry School District', 'Public body', 'Lorraine Kettle'],
  ['Millbrook Preservation Society', 'Heritage', 'Horace Pym'],
  ['Larkin & Vale Architects', 'Developer', 'Joss Larkin'],
  ['Penhallow Hotels', 'Commercial', 'Estelle Penhallow'],
  ['Northlight Brewing', 'Commercial', 'Matthias Krug'],
  ['Coveside Marina', 'Commercial', 'Tess Rowland'],
  ['Tidewater Medical Group', 'Commercial', 'Dr. Naveen Pillai'],
  ['Bellweather Insurance', 'Commercial', 'Gloria Stamm'],
  ['Fennimore Estates', 'Developer', 'Rupert Fennimore'],
  ['Quarry Road Partners', 'Developer', 'Leila Bazargan'],
  ['Maple Street Condominiums', 'Housing', 'Patrice Dumont'],
  ['Lighthouse Trust of Cape Ansel', 'Heritage', 'Agnes Holloway'],
  ['Pier Nine Cannery', 'Commercial', 'Bo Eriksen'],
  ['Greywater Rail Museum', 'Heritage', 'Stanley Urquhart'],
  ['Harrow Hill Academy', 'Public body', 'Constance Reyes'],
  ['Abigail Thorne', 'Homeowner', 'Abigail Thorne'],
  ['Bertrand and Lucille Achard', 'Homeowner', 'Lucille Achard'],
  ['Cyrus Okonkwo', 'Homeowner', 'Cyrus Okonkwo'],
  ['Dorothea Lund', 'Homeowner', 'Dorothea Lund'],
  ['Emil Vargas', 'Homeowner', 'Emil Vargas'],
  ['Frances Whitlock', 'Homeowner', 'Frances Whitlock'],
  ['Winterbourne Retail', 'Commercial', 'Kit Samson', 'PROSPECT'],
  ['Cape Ansel Ferry Company', 'Commercial', 'Roland Teague', 'PROSPECT'],
  ['Dunmore Storage', 'Commercial', 'Vera Castellan', 'INACTIVE'],
  ['Redfern Property Group', 'Developer', 'Miles Redfern'],
] as const satisfies readonly ClientRow[]

export type Client = (typeof clients)[number][0]

/** Pays late, so it gets no new project; the one it has is older than that. */
export const blockedClient: { client: Client; notes: string } = {
  client: 'Redfern Property Group',
  notes: 'Blocked: the final invoice of the parade is long overdue.',
}

export const clientBodies = (categoryId: (category: ClientCategory) => number): JsonObject[] =>
  (clients as readonly ClientRow[]).map(([name, category, contact, status = 'ACTIVE'], index) => {
    const isPerson = category === 'Homeowner'
    const house = isPerson ? 'post' : formatSlug(name)
    return {
      name,
      kind: isPerson ? 'INDIVIDUAL' : category === 'Public body' ? 'PUBLIC' : 'COMPANY',
      status,
      category_id: categoryId(category),
      contact_name: contact,
      email: emailOf(contact, house),
      phone: phoneOf(603, index),
      billing_address: addressOf(index),
      payment_terms_days: isPerson ? 14 : category === 'Public body' ? 45 : 30,
      ...(isPerson ? {} : { tax_id: `00-${4410287 + index * 1373}`, website: `https://${house}.example` }),
      ...(isPerson
        ? {}
        : { credit_limit_minor: (5 + (index % 6) * 5) * 1_000_000, external_ref: `CRM-${2040 + index}` }),
    }
  })

const deputies = ['Nell Ashby', 'Omar Said', 'Petra Weiss', 'Ralph Donnelly', 'Sunita Rao', 'Theo Blanchet', 'Una Kerr']

/** The one to ask for at each client; the larger ones have a second. */
export const contactBodies = (clientIds: readonly number[]): JsonObject[] =>
  (clients as readonly ClientRow[]).flatMap(([name, , contact], index) => {
    const client = { client_id: clientIds[index] as number }
    const first = { ...client, name: contact, phone: phoneOf(978, index) }
    if (index >= 15) return [first]
    const second = turn(deputies, index)
    return [
      first,
      { ...client, name: second, email: emailOf(second, formatSlug(name)), phone: phoneOf(978, 30 + index) },
    ]
  })
