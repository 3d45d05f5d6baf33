/** Made from the definitions of the service. Not edited by hand. */

import type { ChangeOf } from './wire.ts'

/** A country code of ISO 3166-1, two capital letters like GB */
export type Country = 'AD' | 'AE' | 'AF' | 'AG' | 'AI' | 'AL' | 'AM' | 'AO' | 'AQ' | 'AR' | 'AS' | 'AT' | 'AU' | 'AW' | 'AX' | 'AZ' | 'BA' | 'BB' | 'BD' | 'BE' | 'BF' | 'BG' | 'BH' | 'BI' | 'BJ' | 'BL' | 'BM' | 'BN' | 'BO' | 'BQ' | 'BR' | 'BS' | 'BT' | 'BV' | 'BW' | 'BY' | 'BZ' | 'CA' | 'CC' | 'CD' | 'CF' | 'CG' | 'CH' | 'CI' | 'CK' | 'CL' | 'CM' | 'CN' | 'CO' | 'CR' | 'CU' | 'CV' | 'CW' | 'CX' | 'CY' | 'CZ' | 'DE' | 'DJ' | 'DK' | 'DM' | 'DO' | 'DZ' | 'EC' | 'EE' | 'EG' | 'EH' | 'ER' | 'ES' | 'ET' | 'FI' | 'FJ' | 'FK' | 'FM' | 'FO' | 'FR' | 'GA' | 'GB' | 'GD' | 'GE' | 'GF' | 'GG' | 'GH' | 'GI' | 'GL' | 'GM' | 'GN' | 'GP' | 'GQ' | 'GR' | 'GS' | 'GT' | 'GU' | 'GW' | 'GY' | 'HK' | 'HM' | 'HN' | 'HR' | 'HT' | 'HU' | 'ID' | 'IE' | 'IL' | 'IM' | 'IN' | 'IO' | 'IQ' | 'IR' | 'IS' | 'IT' | 'JE' | 'JM' | 'JO' | 'JP' | 'KE' | 'KG' | 'KH' | 'KI' | 'KM' | 'KN' | 'KP' | 'KR' | 'KW' | 'KY' | 'KZ' | 'LA' | 'LB' | 'LC' | 'LI' | 'LK' | 'LR' | 'LS' | 'LT' | 'LU' | 'LV' | 'LY' | 'MA' | 'MC' | 'MD' | 'ME' | 'MF' | 'MG' | 'MH' | 'MK' | 'ML' | 'MM' | 'MN' | 'MO' | 'MP' | 'MQ' | 'MR' | 'MS' | 'MT' | 'MU' | 'MV' | 'MW' | 'MX' | 'MY' | 'MZ' | 'NA' | 'NC' | 'NE' | 'NF' | 'NG' | 'NI' | 'NL' | 'NO' | 'NP' | 'NR' | 'NU' | 'NZ' | 'OM' | 'PA' | 'PE' | 'PF' | 'PG' | 'PH' | 'PK' | 'PL' | 'PM' | 'PN' | 'PR' | 'PS' | 'PT' | 'PW' | 'PY' | 'QA' | 'RE' | 'RO' | 'RS' | 'RU' | 'RW' | 'SA' | 'SB' | 'SC' | 'SD' | 'SE' | 'SG' | 'SH' | 'SI' | 'SJ' | 'SK' | 'SL' | 'SM' | 'SN' | 'SO' | 'SR' | 'SS' | 'ST' | 'SV' | 'SX' | 'SY' | 'SZ' | 'TC' | 'TD' | 'TF' | 'TG' | 'TH' | 'TJ' | 'TK' | 'TL' | 'TM' | 'TN' | 'TO' | 'TR' | 'TT' | 'TV' | 'TW' | 'TZ' | 'UA' | 'UG' | 'UM' | 'US' | 'UY' | 'UZ' | 'VA' | 'VC' | 'VE' | 'VG' | 'VI' | 'VN' | 'VU' | 'WF' | 'WS' | 'YE' | 'YT' | 'ZA' | 'ZM' | 'ZW'

/** An object with any of line1, line2, city, region, postal_code and country */
export type Address = {
  /** Street and house number. */
  line1: string | null
  /** Flat, unit or floor. */
  line2: string | null
  /** City or town. */
  city: string | null
  /** State, county or province. */
  region: string | null
  /** As the post of the country writes it. */
  postal_code: string | null
  /** Two letters of ISO 3166-1, such as GB. */
  country: string | null
}

/** An object with any of line1, line2, city, region, postal_code and country */
export type AddressInput = {
  /** Street and house number. */
  line1?: string | null
  /** Flat, unit or floor. */
  line2?: string | null
  /** City or town. */
  city?: string | null
  /** State, county or province. */
  region?: string | null
  /** As the post of the country writes it. */
  postal_code?: string | null
  /** Two letters of ISO 3166-1, such as GB. */
  country?: Country | null
}

/** A list of at most 500 lines */
export type EstimateLine = {
  /** What is done or delivered. */
  description: string
  /** How many units. */
  quantity: number
  /** The unit counted. */
  unit: string | null
  /** Price of one unit, in minor units of the currency. */
  unit_price_minor: number
}

/** A list of at most 500 lines */
export type EstimateLineInput = {
  /** What is done or delivered. */
  description: string
  /** How many units. */
  quantity?: number
  /** The unit counted. */
  unit?: string | null
  /** Price of one unit, in minor units of the currency. */
  unit_price_minor?: number
}

/** Work for a client at one place, from the bid to the archive. */
export type Project = {
  /** Identifier, used in `/{id}` paths. */
  id: number
  /** What the project is called. */
  name: string
  /** The company’s short code for it. */
  code: string | null
  /** What is to be done. */
  description: string | null
  /** Where the project stands. */
  status: 'ACTIVE' | 'BIDDING' | 'ON_HOLD' | 'COMPLETED' | 'CANCELLED' | 'ARCHIVED' | (string & {})
  /** The client it is done for. */
  client_id: number | null
  /** Its category, one of those kept for projects. */
  category_id: number | null
  /** The worker who manages it. */
  manager_id: number | null
  /** Where the site is. */
  address: Address | null
  /** First day of work. */
  start_date: string | null
  /** Last day of work; not before the first. */
  end_date: string | null
  /** Contract value, in minor units of the currency. */
  contract_minor?: number | null
  /** Budgeted cost, in minor units of the currency. */
  budget_minor?: number | null
  /** How much is done, in percent. */
  percent_complete: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref: string | null
  /** Free text for people. */
  notes: string | null
  /** The company’s currency (ISO 4217), in whose minor units all amounts are given. */
  currency: string
  /** When the record was created (UTC). */
  created_at: string
  /** When the record last changed (UTC). */
  updated_at: string
}

/** What a record of projects is created with. */
export type ProjectCreate = {
  /** What the project is called. */
  name: string
  /** The company’s short code for it. */
  code?: string | null
  /** What is to be done. */
  description?: string | null
  /** Where the project stands. */
  status?: 'ACTIVE' | 'BIDDING' | 'ON_HOLD' | 'COMPLETED' | 'CANCELLED' | 'ARCHIVED'
  /** The client it is done for. */
  client_id?: number | null
  /** Its category, one of those kept for projects. */
  category_id?: number | null
  /** The worker who manages it. */
  manager_id?: number | null
  /** Where the site is. */
  address?: AddressInput | null
  /** First day of work. */
  start_date?: string | null
  /** Last day of work; not before the first. */
  end_date?: string | null
  /** Contract value, in minor units of the currency. */
  contract_minor?: number | null
  /** Budgeted cost, in minor units of the currency. */
  budget_minor?: number | null
  /** How much is done, in percent. */
  percent_complete?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What is changed. A member that is left out stays, null clears it. */
export type ProjectUpdate = {
  /** What the project is called. */
  name?: string
  /** The company’s short code for it. */
  code?: string | null
  /** What is to be done. */
  description?: string | null
  /** Where the project stands. */
  status?: 'ACTIVE' | 'BIDDING' | 'ON_HOLD' | 'COMPLETED' | 'CANCELLED' | 'ARCHIVED'
  /** The client it is done for. */
  client_id?: number | null
  /** Its category, one of those kept for projects. */
  category_id?: number | null
  /** The worker who manages it. */
  manager_id?: number | null
  /** Where the site is. */
  address?: AddressInput | null
  /** First day of work. */
  start_date?: string | null
  /** Last day of work; not before the first. */
  end_date?: string | null
  /** Contract value, in minor units of the currency. */
  contract_minor?: number | null
  /** Budgeted cost, in minor units of the currency. */
  budget_minor?: number | null
  /** How much is done, in percent. */
  percent_complete?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What a list can be narrowed by. */
export type ProjectQuery = {
  /** Words that must all occur in name, code, description, external_ref; capitals and accents do not count. */
  q?: string
  /** Only records whose `id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  id_in?: readonly (number)[]
  /** Only records with this `status`. */
  status?: 'ACTIVE' | 'BIDDING' | 'ON_HOLD' | 'COMPLETED' | 'CANCELLED' | 'ARCHIVED'
  /** Only records whose `status` is one of these, separated by commas, 100 at most. */
  status_in?: readonly ('ACTIVE' | 'BIDDING' | 'ON_HOLD' | 'COMPLETED' | 'CANCELLED' | 'ARCHIVED')[]
  /** Only records with this `client_id`; an id of no record gives an empty list. */
  client_id?: number
  /** Only records whose `client_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  client_id_in?: readonly (number)[]
  /** Only records with this `category_id`; an id of no record gives an empty list. */
  category_id?: number
  /** Only records whose `category_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  category_id_in?: readonly (number)[]
  /** Only records with this `manager_id`; an id of no record gives an empty list. */
  manager_id?: number
  /** Only records whose `manager_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  manager_id_in?: readonly (number)[]
  /** Only records whose `start_date` is this day or a later one. */
  start_date_from?: string
  /** Only records whose `start_date` is this day or an earlier one. */
  start_date_to?: string
  /** Only records whose `end_date` is this day or a later one. */
  end_date_from?: string
  /** Only records whose `end_date` is this day or an earlier one. */
  end_date_to?: string
  /** Only the record with this `external_ref`; capitals do not count. */
  external_ref?: string
  /** Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`. */
  updated_since?: string
}

/** What a list can be sorted by. */
export type ProjectSort = 'id' | '-id' | 'name' | '-name' | 'code' | '-code' | 'status' | '-status' | 'start_date' | '-start_date' | 'end_date' | '-end_date' | 'contract_minor' | '-contract_minor' | 'budget_minor' | '-budget_minor' | 'percent_complete' | '-percent_complete' | 'external_ref' | '-external_ref' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'

/** A change of one record of projects. */
export type ProjectChange = ChangeOf<'projects', 'projects.created', 'created', Project> | ChangeOf<'projects', 'projects.updated', 'updated', Project> | ChangeOf<'projects', 'projects.deleted', 'deleted', Project> | ChangeOf<'projects', 'projects.erased', 'erased', Project> | ChangeOf<'projects', 'projects.restored', 'restored', Project>

/** Somebody who works for the company, on its payroll or not. */
export type Worker = {
  /** Identifier, used in `/{id}` paths. */
  id: number
  /** First and last name, as the payroll has it. */
  name: string
  /** Number in the payroll. */
  employee_no: string | null
  /** Where the worker is reached by e-mail. */
  email: string | null
  /** Where the worker is reached by telephone. */
  phone: string | null
  /** Whether the worker is at work. LEFT needs left_on. */
  status: 'ACTIVE' | 'INACTIVE' | 'ON_LEAVE' | 'LEFT' | (string & {})
  /** The trade practised. */
  trade_id: number | null
  /** How the worker is employed. */
  employment_type: 'EMPLOYEE' | 'TEMPORARY' | 'APPRENTICE' | 'CONTRACTOR' | (string & {}) | null
  /** The worker who supervises this one; nobody supervises himself, directly or in a circle. */
  supervisor_id: number | null
  /** First day of employment. */
  hired_on: string | null
  /** Last day of employment; not before the first. */
  left_on: string | null
  /** What an hour costs the company, in minor units of the currency. */
  hourly_cost_minor?: number | null
  /** What an hour is billed at, in minor units of the currency. */
  bill_rate_minor?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref: string | null
  /** Free text for people. */
  notes: string | null
  /** The company’s currency (ISO 4217), in whose minor units all amounts are given. */
  currency: string
  /** When the record was created (UTC). */
  created_at: string
  /** When the record last changed (UTC). */
  updated_at: string
}

/** What a record of workers is created with. */
export type WorkerCreate = {
  /** First and last name, as the payroll has it. */
  name: string
  /** Number in the payroll. */
  employee_no?: string | null
  /** Where the worker is reached by e-mail. */
  email?: string | null
  /** Where the worker is reached by telephone. */
  phone?: string | null
  /** Whether the worker is at work. LEFT needs left_on. */
  status?: 'ACTIVE' | 'INACTIVE' | 'ON_LEAVE' | 'LEFT'
  /** The trade practised. */
  trade_id?: number | null
  /** How the worker is employed. */
  employment_type?: 'EMPLOYEE' | 'TEMPORARY' | 'APPRENTICE' | 'CONTRACTOR' | null
  /** The worker who supervises this one; nobody supervises himself, directly or in a circle. */
  supervisor_id?: number | null
  /** First day of employment. */
  hired_on?: string | null
  /** Last day of employment; not before the first. */
  left_on?: string | null
  /** What an hour costs the company, in minor units of the currency. */
  hourly_cost_minor?: number | null
  /** What an hour is billed at, in minor units of the currency. */
  bill_rate_minor?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What is changed. A member that is left out stays, null clears it. */
export type WorkerUpdate = {
  /** First and last name, as the payroll has it. */
  name?: string
  /** Number in the payroll. */
  employee_no?: string | null
  /** Where the worker is reached by e-mail. */
  email?: string | null
  /** Where the worker is reached by telephone. */
  phone?: string | null
  /** Whether the worker is at work. LEFT needs left_on. */
  status?: 'ACTIVE' | 'INACTIVE' | 'ON_LEAVE' | 'LEFT'
  /** The trade practised. */
  trade_id?: number | null
  /** How the worker is employed. */
  employment_type?: 'EMPLOYEE' | 'TEMPORARY' | 'APPRENTICE' | 'CONTRACTOR' | null
  /** The worker who supervises this one; nobody supervises himself, directly or in a circle. */
  supervisor_id?: number | null
  /** First day of employment. */
  hired_on?: string | null
  /** Last day of employment; not before the first. */
  left_on?: string | null
  /** What an hour costs the company, in minor units of the currency. */
  hourly_cost_minor?: number | null
  /** What an hour is billed at, in minor units of the currency. */
  bill_rate_minor?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What a list can be narrowed by. */
export type WorkerQuery = {
  /** Words that must all occur in name, employee_no, email, phone; capitals and accents do not count. */
  q?: string
  /** Only records whose `id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  id_in?: readonly (number)[]
  /** Only records with this `status`. */
  status?: 'ACTIVE' | 'INACTIVE' | 'ON_LEAVE' | 'LEFT'
  /** Only records whose `status` is one of these, separated by commas, 100 at most. */
  status_in?: readonly ('ACTIVE' | 'INACTIVE' | 'ON_LEAVE' | 'LEFT')[]
  /** Only records with this `trade_id`; an id of no record gives an empty list. */
  trade_id?: number
  /** Only records whose `trade_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  trade_id_in?: readonly (number)[]
  /** Only records with this `supervisor_id`; an id of no record gives an empty list. */
  supervisor_id?: number
  /** Only records whose `supervisor_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  supervisor_id_in?: readonly (number)[]
  /** Only records whose `hired_on` is this day or a later one. */
  hired_on_from?: string
  /** Only records whose `hired_on` is this day or an earlier one. */
  hired_on_to?: string
  /** Only records whose `left_on` is this day or a later one. */
  left_on_from?: string
  /** Only records whose `left_on` is this day or an earlier one. */
  left_on_to?: string
  /** Only the record with this `external_ref`; capitals do not count. */
  external_ref?: string
  /** Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`. */
  updated_since?: string
}

/** What a list can be sorted by. */
export type WorkerSort = 'id' | '-id' | 'name' | '-name' | 'employee_no' | '-employee_no' | 'email' | '-email' | 'status' | '-status' | 'employment_type' | '-employment_type' | 'hired_on' | '-hired_on' | 'left_on' | '-left_on' | 'hourly_cost_minor' | '-hourly_cost_minor' | 'bill_rate_minor' | '-bill_rate_minor' | 'external_ref' | '-external_ref' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'

/** A change of one record of workers. */
export type WorkerChange = ChangeOf<'workers', 'workers.created', 'created', Worker> | ChangeOf<'workers', 'workers.updated', 'updated', Worker> | ChangeOf<'workers', 'workers.deleted', 'deleted', Worker> | ChangeOf<'workers', 'workers.erased', 'erased', Worker> | ChangeOf<'workers', 'workers.restored', 'restored', Worker>

/** Somebody the company works for, or would like to. */
export type Client = {
  /** Identifier, used in `/{id}` paths. */
  id: number
  /** Name of the firm, the body or the person, as invoices give it. */
  name: string
  /** What the client is. */
  kind: 'COMPANY' | 'INDIVIDUAL' | 'PUBLIC' | (string & {}) | null
  /** Where the relation stands. A BLOCKED client gets no new project. */
  status: 'ACTIVE' | 'PROSPECT' | 'INACTIVE' | 'BLOCKED' | (string & {})
  /** Its category, one of those kept for clients. */
  category_id: number | null
  /** Whom to ask for. */
  contact_name: string | null
  /** Where it is reached by e-mail. */
  email: string | null
  /** Where it is reached by telephone. */
  phone: string | null
  /** Number under which the tax office knows it. */
  tax_id?: string | null
  /** Its web site, such as https://example.com. */
  website: string | null
  /** Where invoices go. */
  billing_address: Address | null
  /** Days given to pay an invoice. */
  payment_terms_days: number | null
  /** Most that may be owed at once, in minor units of the currency. */
  credit_limit_minor?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref: string | null
  /** Free text for people. */
  notes: string | null
  /** The company’s currency (ISO 4217), in whose minor units all amounts are given. */
  currency: string
  /** When the record was created (UTC). */
  created_at: string
  /** When the record last changed (UTC). */
  updated_at: string
}

/** What a record of clients is created with. */
export type ClientCreate = {
  /** Name of the firm, the body or the person, as invoices give it. */
  name: string
  /** What the client is. */
  kind?: 'COMPANY' | 'INDIVIDUAL' | 'PUBLIC' | null
  /** Where the relation stands. A BLOCKED client gets no new project. */
  status?: 'ACTIVE' | 'PROSPECT' | 'INACTIVE' | 'BLOCKED'
  /** Its category, one of those kept for clients. */
  category_id?: number | null
  /** Whom to ask for. */
  contact_name?: string | null
  /** Where it is reached by e-mail. */
  email?: string | null
  /** Where it is reached by telephone. */
  phone?: string | null
  /** Number under which the tax office knows it. */
  tax_id?: string | null
  /** Its web site, such as https://example.com. */
  website?: string | null
  /** Where invoices go. */
  billing_address?: AddressInput | null
  /** Days given to pay an invoice. */
  payment_terms_days?: number | null
  /** Most that may be owed at once, in minor units of the currency. */
  credit_limit_minor?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What is changed. A member that is left out stays, null clears it. */
export type ClientUpdate = {
  /** Name of the firm, the body or the person, as invoices give it. */
  name?: string
  /** What the client is. */
  kind?: 'COMPANY' | 'INDIVIDUAL' | 'PUBLIC' | null
  /** Where the relation stands. A BLOCKED client gets no new project. */
  status?: 'ACTIVE' | 'PROSPECT' | 'INACTIVE' | 'BLOCKED'
  /** Its category, one of those kept for clients. */
  category_id?: number | null
  /** Whom to ask for. */
  contact_name?: string | null
  /** Where it is reached by e-mail. */
  email?: string | null
  /** Where it is reached by telephone. */
  phone?: string | null
  /** Number under which the tax office knows it. */
  tax_id?: string | null
  /** Its web site, such as https://example.com. */
  website?: string | null
  /** Where invoices go. */
  billing_address?: AddressInput | null
  /** Days given to pay an invoice. */
  payment_terms_days?: number | null
  /** Most that may be owed at once, in minor units of the currency. */
  credit_limit_minor?: number | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What a list can be narrowed by. */
export type ClientQuery = {
  /** Words that must all occur in name, contact_name, email, phone, tax_id; capitals and accents do not count. */
  q?: string
  /** Only records whose `id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  id_in?: readonly (number)[]
  /** Only records with this `kind`. */
  kind?: 'COMPANY' | 'INDIVIDUAL' | 'PUBLIC'
  /** Only records whose `kind` is one of these, separated by commas, 100 at most. */
  kind_in?: readonly ('COMPANY' | 'INDIVIDUAL' | 'PUBLIC')[]
  /** Only records with this `status`. */
  status?: 'ACTIVE' | 'PROSPECT' | 'INACTIVE' | 'BLOCKED'
  /** Only records whose `status` is one of these, separated by commas, 100 at most. */
  status_in?: readonly ('ACTIVE' | 'PROSPECT' | 'INACTIVE' | 'BLOCKED')[]
  /** Only records with this `category_id`; an id of no record gives an empty list. */
  category_id?: number
  /** Only records whose `category_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  category_id_in?: readonly (number)[]
  /** Only the record with this `external_ref`; capitals do not count. */
  external_ref?: string
  /** Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`. */
  updated_since?: string
}

/** What a list can be sorted by. */
export type ClientSort = 'id' | '-id' | 'name' | '-name' | 'kind' | '-kind' | 'status' | '-status' | 'contact_name' | '-contact_name' | 'email' | '-email' | 'tax_id' | '-tax_id' | 'payment_terms_days' | '-payment_terms_days' | 'credit_limit_minor' | '-credit_limit_minor' | 'external_ref' | '-external_ref' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'

/** A change of one record of clients. */
export type ClientChange = ChangeOf<'clients', 'clients.created', 'created', Client> | ChangeOf<'clients', 'clients.updated', 'updated', Client> | ChangeOf<'clients', 'clients.deleted', 'deleted', Client> | ChangeOf<'clients', 'clients.erased', 'erased', Client> | ChangeOf<'clients', 'clients.restored', 'restored', Client>

/** An offer to a client: priced lines, a discount, a tax and their total. */
export type Estimate = {
  /** Identifier, used in `/{id}` paths. */
  id: number
  /** What is offered. */
  title: string
  /** Number of the estimate; the next free one is given when it is absent. */
  number: string
  /** Where the offer stands. Beyond DRAFT it needs a client and a line; ACCEPTED is final. */
  status: 'DRAFT' | 'SENT' | 'ACCEPTED' | 'REJECTED' | 'EXPIRED' | (string & {})
  /** The client it is made to. */
  client_id: number | null
  /** The project it belongs to, which is a project of the same client. */
  project_id: number | null
  /** Day it was made out. */
  issue_date: string | null
  /** Last day it can be accepted; not before its issue. */
  valid_until: string | null
  /** What is offered, line by line, in order. */
  lines: EstimateLine[]
  /** Discount on the sum of the lines, in percent. */
  discount_pct: number | null
  /** Tax after the discount, in percent. */
  tax_pct: number | null
  /** Sum of the lines, in minor units. */
  subtotal_minor: number
  /** The discount, in minor units: an amount of its own, at most the sum of the lines, or what follows from `discount_pct` while that is not null. */
  discount_minor: number
  /** The tax, in minor units. */
  tax_minor: number
  /** What the client would pay, in minor units. */
  total_minor: number
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref: string | null
  /** Free text for people. */
  notes: string | null
  /** The company’s currency (ISO 4217), in whose minor units all amounts are given. */
  currency: string
  /** When the record was created (UTC). */
  created_at: string
  /** When the record last changed (UTC). */
  updated_at: string
}

/** What a record of estimates is created with. */
export type EstimateCreate = {
  /** What is offered. */
  title: string
  /** Number of the estimate; the next free one is given when it is absent. */
  number?: string
  /** Where the offer stands. Beyond DRAFT it needs a client and a line; ACCEPTED is final. */
  status?: 'DRAFT' | 'SENT' | 'ACCEPTED' | 'REJECTED' | 'EXPIRED'
  /** The client it is made to. */
  client_id?: number | null
  /** The project it belongs to, which is a project of the same client. */
  project_id?: number | null
  /** Day it was made out. */
  issue_date?: string | null
  /** Last day it can be accepted; not before its issue. */
  valid_until?: string | null
  /** What is offered, line by line, in order. */
  lines?: EstimateLineInput[]
  /** Discount on the sum of the lines, in percent. */
  discount_pct?: number | null
  /** Tax after the discount, in percent. */
  tax_pct?: number | null
  /** The discount, in minor units: an amount of its own, at most the sum of the lines, or what follows from `discount_pct` while that is not null. */
  discount_minor?: number
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What is changed. A member that is left out stays, null clears it. */
export type EstimateUpdate = {
  /** What is offered. */
  title?: string
  /** Number of the estimate; the next free one is given when it is absent. */
  number?: string
  /** Where the offer stands. Beyond DRAFT it needs a client and a line; ACCEPTED is final. */
  status?: 'DRAFT' | 'SENT' | 'ACCEPTED' | 'REJECTED' | 'EXPIRED'
  /** The client it is made to. */
  client_id?: number | null
  /** The project it belongs to, which is a project of the same client. */
  project_id?: number | null
  /** Day it was made out. */
  issue_date?: string | null
  /** Last day it can be accepted; not before its issue. */
  valid_until?: string | null
  /** What is offered, line by line, in order. */
  lines?: EstimateLineInput[]
  /** Discount on the sum of the lines, in percent. */
  discount_pct?: number | null
  /** Tax after the discount, in percent. */
  tax_pct?: number | null
  /** The discount, in minor units: an amount of its own, at most the sum of the lines, or what follows from `discount_pct` while that is not null. */
  discount_minor?: number
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What a list can be narrowed by. */
export type EstimateQuery = {
  /** Words that must all occur in title, number; capitals and accents do not count. */
  q?: string
  /** Only records whose `id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  id_in?: readonly (number)[]
  /** Only records with this `status`. */
  status?: 'DRAFT' | 'SENT' | 'ACCEPTED' | 'REJECTED' | 'EXPIRED'
  /** Only records whose `status` is one of these, separated by commas, 100 at most. */
  status_in?: readonly ('DRAFT' | 'SENT' | 'ACCEPTED' | 'REJECTED' | 'EXPIRED')[]
  /** Only records with this `client_id`; an id of no record gives an empty list. */
  client_id?: number
  /** Only records whose `client_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  client_id_in?: readonly (number)[]
  /** Only records with this `project_id`; an id of no record gives an empty list. */
  project_id?: number
  /** Only records whose `project_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  project_id_in?: readonly (number)[]
  /** Only records whose `issue_date` is this day or a later one. */
  issue_date_from?: string
  /** Only records whose `issue_date` is this day or an earlier one. */
  issue_date_to?: string
  /** Only records whose `valid_until` is this day or a later one. */
  valid_until_from?: string
  /** Only records whose `valid_until` is this day or an earlier one. */
  valid_until_to?: string
  /** Only the record with this `external_ref`; capitals do not count. */
  external_ref?: string
  /** Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`. */
  updated_since?: string
}

/** What a list can be sorted by. */
export type EstimateSort = 'id' | '-id' | 'title' | '-title' | 'number' | '-number' | 'status' | '-status' | 'issue_date' | '-issue_date' | 'valid_until' | '-valid_until' | 'discount_pct' | '-discount_pct' | 'tax_pct' | '-tax_pct' | 'subtotal_minor' | '-subtotal_minor' | 'discount_minor' | '-discount_minor' | 'tax_minor' | '-tax_minor' | 'total_minor' | '-total_minor' | 'external_ref' | '-external_ref' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'

/** A change of one record of estimates. */
export type EstimateChange = ChangeOf<'estimates', 'estimates.created', 'created', Estimate> | ChangeOf<'estimates', 'estimates.updated', 'updated', Estimate> | ChangeOf<'estimates', 'estimates.deleted', 'deleted', Estimate> | ChangeOf<'estimates', 'estimates.erased', 'erased', Estimate> | ChangeOf<'estimates', 'estimates.restored', 'restored', Estimate>

/** A firm that does part of the work under contract, or supplies equipment. */
export type Subcontractor = {
  /** Identifier, used in `/{id}` paths. */
  id: number
  /** Name of the firm, as contracts give it. */
  name: string
  /** Whether it gets work. */
  status: 'ACTIVE' | 'PENDING' | 'INACTIVE' | 'BLOCKED' | (string & {})
  /** The trade it practises. */
  trade_id: number | null
  /** Whom to ask for. */
  contact_name: string | null
  /** Where the firm is reached by e-mail. */
  email: string | null
  /** Where the firm is reached by telephone. */
  phone: string | null
  /** Number under which the tax office knows the firm. */
  tax_id?: string | null
  /** As printed on its licence to practise the trade. */
  license_number: string | null
  /** Last day of its licence. */
  license_expires_on: string | null
  /** Who insures it. */
  insurance_provider: string | null
  /** As printed on the insurance policy. */
  insurance_policy_no?: string | null
  /** Last day of its insurance. */
  insurance_expires_on: string | null
  /** Share of each payment held back, in percent. */
  retention_pct: number | null
  /** Days taken to pay it. */
  payment_terms_days: number | null
  /** How good its work is, from 1 to 5. */
  rating: number | null
  /** Where it has its office. */
  address: Address | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref: string | null
  /** Free text for people. */
  notes: string | null
  /** When the record was created (UTC). */
  created_at: string
  /** When the record last changed (UTC). */
  updated_at: string
}

/** What a record of subcontractors is created with. */
export type SubcontractorCreate = {
  /** Name of the firm, as contracts give it. */
  name: string
  /** Whether it gets work. */
  status?: 'ACTIVE' | 'PENDING' | 'INACTIVE' | 'BLOCKED'
  /** The trade it practises. */
  trade_id?: number | null
  /** Whom to ask for. */
  contact_name?: string | null
  /** Where the firm is reached by e-mail. */
  email?: string | null
  /** Where the firm is reached by telephone. */
  phone?: string | null
  /** Number under which the tax office knows the firm. */
  tax_id?: string | null
  /** As printed on its licence to practise the trade. */
  license_number?: string | null
  /** Last day of its licence. */
  license_expires_on?: string | null
  /** Who insures it. */
  insurance_provider?: string | null
  /** As printed on the insurance policy. */
  insurance_policy_no?: string | null
  /** Last day of its insurance. */
  insurance_expires_on?: string | null
  /** Share of each payment held back, in percent. */
  retention_pct?: number | null
  /** Days taken to pay it. */
  payment_terms_days?: number | null
  /** How good its work is, from 1 to 5. */
  rating?: number | null
  /** Where it has its office. */
  address?: AddressInput | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What is changed. A member that is left out stays, null clears it. */
export type SubcontractorUpdate = {
  /** Name of the firm, as contracts give it. */
  name?: string
  /** Whether it gets work. */
  status?: 'ACTIVE' | 'PENDING' | 'INACTIVE' | 'BLOCKED'
  /** The trade it practises. */
  trade_id?: number | null
  /** Whom to ask for. */
  contact_name?: string | null
  /** Where the firm is reached by e-mail. */
  email?: string | null
  /** Where the firm is reached by telephone. */
  phone?: string | null
  /** Number under which the tax office knows the firm. */
  tax_id?: string | null
  /** As printed on its licence to practise the trade. */
  license_number?: string | null
  /** Last day of its licence. */
  license_expires_on?: string | null
  /** Who insures it. */
  insurance_provider?: string | null
  /** As printed on the insurance policy. */
  insurance_policy_no?: string | null
  /** Last day of its insurance. */
  insurance_expires_on?: string | null
  /** Share of each payment held back, in percent. */
  retention_pct?: number | null
  /** Days taken to pay it. */
  payment_terms_days?: number | null
  /** How good its work is, from 1 to 5. */
  rating?: number | null
  /** Where it has its office. */
  address?: AddressInput | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What a list can be narrowed by. */
export type SubcontractorQuery = {
  /** Words that must all occur in name, contact_name, email, license_number; capitals and accents do not count. */
  q?: string
  /** Only records whose `id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  id_in?: readonly (number)[]
  /** Only records with this `status`. */
  status?: 'ACTIVE' | 'PENDING' | 'INACTIVE' | 'BLOCKED'
  /** Only records whose `status` is one of these, separated by commas, 100 at most. */
  status_in?: readonly ('ACTIVE' | 'PENDING' | 'INACTIVE' | 'BLOCKED')[]
  /** Only records with this `trade_id`; an id of no record gives an empty list. */
  trade_id?: number
  /** Only records whose `trade_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  trade_id_in?: readonly (number)[]
  /** Only records whose `license_expires_on` is this day or a later one. */
  license_expires_on_from?: string
  /** Only records whose `license_expires_on` is this day or an earlier one. */
  license_expires_on_to?: string
  /** Only records whose `insurance_expires_on` is this day or a later one. */
  insurance_expires_on_from?: string
  /** Only records whose `insurance_expires_on` is this day or an earlier one. */
  insurance_expires_on_to?: string
  /** Only the record with this `external_ref`; capitals do not count. */
  external_ref?: string
  /** Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`. */
  updated_since?: string
}

/** What a list can be sorted by. */
export type SubcontractorSort = 'id' | '-id' | 'name' | '-name' | 'status' | '-status' | 'contact_name' | '-contact_name' | 'email' | '-email' | 'tax_id' | '-tax_id' | 'license_number' | '-license_number' | 'license_expires_on' | '-license_expires_on' | 'insurance_provider' | '-insurance_provider' | 'insurance_policy_no' | '-insurance_policy_no' | 'insurance_expires_on' | '-insurance_expires_on' | 'retention_pct' | '-retention_pct' | 'payment_terms_days' | '-payment_terms_days' | 'rating' | '-rating' | 'external_ref' | '-external_ref' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'

/** A change of one record of subcontractors. */
export type SubcontractorChange = ChangeOf<'subcontractors', 'subcontractors.created', 'created', Subcontractor> | ChangeOf<'subcontractors', 'subcontractors.updated', 'updated', Subcontractor> | ChangeOf<'subcontractors', 'subcontractors.deleted', 'deleted', Subcontractor> | ChangeOf<'subcontractors', 'subcontractors.erased', 'erased', Subcontractor> | ChangeOf<'subcontractors', 'subcontractors.restored', 'restored', Subcontractor>

/** A machine, vehicle or tool, owned or hired. */
export type Equipment = {
  /** Identifier, used in `/{id}` paths. */
  id: number
  /** What it is called. */
  name: string
  /** The company’s short code for it. */
  code: string | null
  /** Where it stands. IN_USE needs project_id. */
  status: 'ACTIVE' | 'IN_USE' | 'MAINTENANCE' | 'RETIRED' | (string & {})
  /** Its category, one of those kept for equipment. */
  category_id: number | null
  /** Who made it. */
  make: string | null
  /** Which model it is. */
  model: string | null
  /** Year it was made. */
  year: number | null
  /** Number that the maker gave this one piece. */
  serial_number: string | null
  /** Whose it is. */
  ownership: 'OWNED' | 'RENTED' | 'LEASED' | (string & {}) | null
  /** The subcontractor who supplied it. */
  supplier_id: number | null
  /** The project it is used on. */
  project_id: number | null
  /** The worker it is given to. */
  worker_id: number | null
  /** Day it was bought. */
  purchase_date: string | null
  /** What was paid, in minor units of the currency. */
  purchase_price_minor?: number | null
  /** What a day is charged at, in minor units of the currency. */
  daily_rate_minor: number | null
  /** Hours on its meter, which never fall. */
  meter_hours: number | null
  /** Day its next service is due. */
  next_service_on: string | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref: string | null
  /** Free text for people. */
  notes: string | null
  /** The company’s currency (ISO 4217), in whose minor units all amounts are given. */
  currency: string
  /** When the record was created (UTC). */
  created_at: string
  /** When the record last changed (UTC). */
  updated_at: string
}

/** What a record of equipment is created with. */
export type EquipmentCreate = {
  /** What it is called. */
  name: string
  /** The company’s short code for it. */
  code?: string | null
  /** Where it stands. IN_USE needs project_id. */
  status?: 'ACTIVE' | 'IN_USE' | 'MAINTENANCE' | 'RETIRED'
  /** Its category, one of those kept for equipment. */
  category_id?: number | null
  /** Who made it. */
  make?: string | null
  /** Which model it is. */
  model?: string | null
  /** Year it was made. */
  year?: number | null
  /** Number that the maker gave this one piece. */
  serial_number?: string | null
  /** Whose it is. */
  ownership?: 'OWNED' | 'RENTED' | 'LEASED' | null
  /** The subcontractor who supplied it. */
  supplier_id?: number | null
  /** The project it is used on. */
  project_id?: number | null
  /** The worker it is given to. */
  worker_id?: number | null
  /** Day it was bought. */
  purchase_date?: string | null
  /** What was paid, in minor units of the currency. */
  purchase_price_minor?: number | null
  /** What a day is charged at, in minor units of the currency. */
  daily_rate_minor?: number | null
  /** Hours on its meter, which never fall. */
  meter_hours?: number | null
  /** Day its next service is due. */
  next_service_on?: string | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What is changed. A member that is left out stays, null clears it. */
export type EquipmentUpdate = {
  /** What it is called. */
  name?: string
  /** The company’s short code for it. */
  code?: string | null
  /** Where it stands. IN_USE needs project_id. */
  status?: 'ACTIVE' | 'IN_USE' | 'MAINTENANCE' | 'RETIRED'
  /** Its category, one of those kept for equipment. */
  category_id?: number | null
  /** Who made it. */
  make?: string | null
  /** Which model it is. */
  model?: string | null
  /** Year it was made. */
  year?: number | null
  /** Number that the maker gave this one piece. */
  serial_number?: string | null
  /** Whose it is. */
  ownership?: 'OWNED' | 'RENTED' | 'LEASED' | null
  /** The subcontractor who supplied it. */
  supplier_id?: number | null
  /** The project it is used on. */
  project_id?: number | null
  /** The worker it is given to. */
  worker_id?: number | null
  /** Day it was bought. */
  purchase_date?: string | null
  /** What was paid, in minor units of the currency. */
  purchase_price_minor?: number | null
  /** What a day is charged at, in minor units of the currency. */
  daily_rate_minor?: number | null
  /** Hours on its meter, which never fall. */
  meter_hours?: number | null
  /** Day its next service is due. */
  next_service_on?: string | null
  /** The caller’s own identifier of the record, unique among live records of its kind. */
  external_ref?: string | null
  /** Free text for people. */
  notes?: string | null
}

/** What a list can be narrowed by. */
export type EquipmentQuery = {
  /** Words that must all occur in name, code, serial_number, make, model; capitals and accents do not count. */
  q?: string
  /** Only records whose `id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  id_in?: readonly (number)[]
  /** Only records with this `status`. */
  status?: 'ACTIVE' | 'IN_USE' | 'MAINTENANCE' | 'RETIRED'
  /** Only records whose `status` is one of these, separated by commas, 100 at most. */
  status_in?: readonly ('ACTIVE' | 'IN_USE' | 'MAINTENANCE' | 'RETIRED')[]
  /** Only records with this `category_id`; an id of no record gives an empty list. */
  category_id?: number
  /** Only records whose `category_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  category_id_in?: readonly (number)[]
  /** Only records with this `project_id`; an id of no record gives an empty list. */
  project_id?: number
  /** Only records whose `project_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  project_id_in?: readonly (number)[]
  /** Only records with this `worker_id`; an id of no record gives an empty list. */
  worker_id?: number
  /** Only records whose `worker_id` is one of these, separated by commas, 100 at most; an id of no record is passed over. */
  worker_id_in?: readonly (number)[]
  /** Only records whose `purchase_date` is this day or a later one. */
  purchase_date_from?: string
  /** Only records whose `purchase_date` is this day or an earlier one. */
  purchase_date_to?: string
  /** Only records whose `next_service_on` is this day or a later one. */
  next_service_on_from?: string
  /** Only records whose `next_service_on` is this day or an earlier one. */
  next_service_on_to?: string
  /** Only the record with this `external_ref`; capitals do not count. */
  external_ref?: string
  /** Only records that changed at or after this moment (RFC 3339, with whichever offset). A record is dated by the beginning of its write and seen from the end of it, and deleted ones are not listed: following the highest moment seen misses changes. To miss none, follow `/v1/changes`. */
  updated_since?: string
}

/** What a list can be sorted by. */
export type EquipmentSort = 'id' | '-id' | 'name' | '-name' | 'code' | '-code' | 'status' | '-status' | 'make' | '-make' | 'model' | '-model' | 'year' | '-year' | 'serial_number' | '-serial_number' | 'ownership' | '-ownership' | 'purchase_date' | '-purchase_date' | 'purchase_price_minor' | '-purchase_price_minor' | 'daily_rate_minor' | '-daily_rate_minor' | 'meter_hours' | '-meter_hours' | 'next_service_on' | '-next_service_on' | 'external_ref' | '-external_ref' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'

/** A change of one record of equipment. */
export type EquipmentChange = ChangeOf<'equipment', 'equipment.created', 'created', Equipment> | ChangeOf<'equipment', 'equipment.updated', 'updated', Equipment> | ChangeOf<'equipment', 'equipment.deleted', 'deleted', Equipment> | ChangeOf<'equipment', 'equipment.erased', 'erased', Equipment> | ChangeOf<'equipment', 'equipment.restored', 'restored', Equipment>

/** The types of each resource, by its name. */
export type Resources = {
  projects: { record: Project; create: ProjectCreate; update: ProjectUpdate; query: ProjectQuery; sort: ProjectSort; change: ProjectChange; references: {
    client_id: 'clients'
    category_id: 'categories'
    manager_id: 'workers'
  } }
  workers: { record: Worker; create: WorkerCreate; update: WorkerUpdate; query: WorkerQuery; sort: WorkerSort; change: WorkerChange; references: {
    trade_id: 'trades'
    supervisor_id: 'workers'
  } }
  clients: { record: Client; create: ClientCreate; update: ClientUpdate; query: ClientQuery; sort: ClientSort; change: ClientChange; references: {
    category_id: 'categories'
  } }
  estimates: { record: Estimate; create: EstimateCreate; update: EstimateUpdate; query: EstimateQuery; sort: EstimateSort; change: EstimateChange; references: {
    client_id: 'clients'
    project_id: 'projects'
  } }
  subcontractors: { record: Subcontractor; create: SubcontractorCreate; update: SubcontractorUpdate; query: SubcontractorQuery; sort: SubcontractorSort; change: SubcontractorChange; references: {
    trade_id: 'trades'
  } }
  equipment: { record: Equipment; create: EquipmentCreate; update: EquipmentUpdate; query: EquipmentQuery; sort: EquipmentSort; change: EquipmentChange; references: {
    category_id: 'categories'
    supplier_id: 'subcontractors'
    project_id: 'projects'
    worker_id: 'workers'
  } }
}

/** A change of one record, told apart by `records` and `event`. */
export type Change = ProjectChange | WorkerChange | ClientChange | EstimateChange | SubcontractorChange | EquipmentChange

/** The scopes of a token. */
export type Scope = 'CLIENTS_DELETE' | 'CLIENTS_EDIT' | 'CLIENTS_VIEW' | 'EQUIPMENT_DELETE' | 'EQUIPMENT_EDIT' | 'EQUIPMENT_VIEW' | 'ESTIMATES_DELETE' | 'ESTIMATES_EDIT' | 'ESTIMATES_VIEW' | 'PROJECTS_DELETE' | 'PROJECTS_EDIT' | 'PROJECTS_VIEW' | 'SUBCONTRACTORS_DELETE' | 'SUBCONTRACTORS_EDIT' | 'SUBCONTRACTORS_VIEW' | 'WORKERS_DELETE' | 'WORKERS_EDIT' | 'WORKERS_VIEW'

/** Why a request was refused. */
export type RefusalCode = 'batch_refused' | 'cursor_gone' | 'delete_blocked' | 'expectation_failed' | 'feature_off' | 'headers_too_large' | 'idempotency_in_progress' | 'idempotency_key_reuse' | 'insufficient_scope' | 'internal_error' | 'invalid_dry_run' | 'invalid_header' | 'invalid_idempotency_key' | 'invalid_parameter' | 'ip_not_allowed' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'not_implemented' | 'outcome_unknown' | 'overloaded' | 'payload_too_large' | 'plan_changed' | 'plan_limit_reached' | 'precondition_failed' | 'protected' | 'reference_conflict' | 'request_timeout' | 'too_many_requests' | 'unauthorized' | 'unavailable' | 'undo_conflict' | 'unknown_parameter' | 'unsupported_media_type' | 'validation_failed'

/** What is wrong with one field. */
export type FieldCode = 'required' | 'unknown_field' | 'read_only' | 'wrong_type' | 'too_short' | 'too_long' | 'out_of_range' | 'not_allowed' | 'wrong_format' | 'not_found' | 'not_unique' | 'date_order' | 'transition_not_allowed' | 'needed_by_status' | 'locked' | 'cycle' | 'client_blocked' | 'not_of_client' | 'may_not_fall' | 'invisible' | (string & {})

/** The event of a webhook that stands for no change. */
export type TestEventName = 'webhooks.test'

export const resourceNames = ['projects', 'workers', 'clients', 'estimates', 'subcontractors', 'equipment'] as const

/** What the records of a resource refer to. */
export const references: { readonly [name in ResourceName]: readonly ResourceName[] } = { projects: ['clients', 'workers'], workers: [], clients: [], estimates: ['clients', 'projects'], subcontractors: [], equipment: ['subcontractors', 'projects', 'workers'] }

export type ResourceName = (typeof resourceNames)[number]
