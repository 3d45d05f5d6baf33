/** The words for a resource. Keys are names of the registry. A name that is left out is spelled as in the registry. */
export type RecordTexts = {
  one?: string
  many?: string
  add?: string
  none: string
  fields?: { [field: string]: string }
  values?: { [value: string]: string }
  /** Names of the sums. */
  sums?: { [sum: string]: string }
  /** Texts of steps by their new state, or by both states: `PAID>ISSUED`. */
  steps?: { [state: string]: string }
  /** The remedy for a mistake in a locked record; by its state where that differs. */
  correction?: string | { [state: string]: string }
  /** Labels of actions. */
  actions?: { [action: string]: string }
  /** The label of a button that creates one from another record. */
  make?: string
}

/** Returns the words as they are. Their type has the names of the resources. */
function nameResources<Name extends string>(words: { [resource in Name]: RecordTexts }) {
  return words
}

const ofResources = nameResources({
  projects: {
    none: 'Projects hold the work: who it is for, where, until when and for how much.',
    fields: {
      manager_id: 'Manager',
      address: 'Site address',
      start_date: 'Start',
      end_date: 'End',
      contract_minor: 'Contract value',
      budget_minor: 'Budget',
      percent_complete: 'Complete, %',
    },
    sums: {
      estimated_minor: 'Accepted estimates',
      labour_minor: 'Labour',
      contracts_minor: 'Contracts',
      draft_hours: 'Hours to approve',
    },
    steps: {
      ACTIVE: 'Make active',
      ON_HOLD: 'Put on hold',
      COMPLETED: 'Complete',
      CANCELLED: 'Call off',
      ARCHIVED: 'Archive',
    },
  },
  workers: {
    none: 'Everybody who works for you, on the payroll or not.',
    fields: {
      employee_no: 'Employee no.',
      employment_type: 'Employment',
      supervisor_id: 'Supervisor',
      hourly_cost_minor: 'Hourly cost',
      bill_rate_minor: 'Billing rate',
    },
  },
  clients: {
    none: 'Those you work for, or would like to. Projects, estimates and invoices lead to them.',
    fields: {
      credit_limit_minor: 'Credit limit',
    },
    values: {
      PUBLIC: 'Public body',
    },
  },
  estimates: {
    none: 'An estimate offers priced lines to a client and works out discount, tax and total.',
    fields: {
      issue_date: 'Issued on',
    },
    steps: {
      DRAFT: 'Back to draft',
      SENT: 'Mark as sent',
      ACCEPTED: 'Accept',
      REJECTED: 'Reject',
      EXPIRED: 'Mark as expired',
    },
    correction: 'To put a mistake right, make a new estimate and have that accepted.',
  },
  subcontractors: {
    none: 'Firms that take on part of the work, with their licences and insurance.',
    fields: {
      license_number: 'Licence no.',
      license_expires_on: 'Licence expires',
      insurance_provider: 'Insurer',
      insurance_policy_no: 'Policy no.',
      insurance_expires_on: 'Insurance expires',
      retention_pct: 'Retention, %',
      rating: 'Rating, 1 to 5',
    },
  },
  equipment: {
    add: 'New equipment',
    none: 'Machines, vehicles and tools: where they are, who has them and when they are due for service.',
    fields: {
      serial_number: 'Serial no.',
      supplier_id: 'Supplier',
      purchase_date: 'Bought on',
      purchase_price_minor: 'Purchase price',
      daily_rate_minor: 'Daily rate',
      meter_hours: 'Meter, hours',
      next_service_on: 'Next service',
    },
    values: {
      ACTIVE: 'Available',
    },
  },
  trades: {
    none: 'Trades that workers and subcontractors practise.',
  },
  categories: {
    none: 'Categories sort projects, clients and equipment.',
    fields: { kind: 'For' },
    values: { project: 'Projects', client: 'Clients' },
  },
  tasks: {
    none: 'What is to be done on a project.',
  },
  contacts: {
    none: 'People to talk to at a client.',
  },
  time_entries: {
    none: 'Hours that workers spent on projects. Approved hours are part of the books.',
    fields: { worked_on: 'Day' },
    values: { DRAFT: 'To approve' },
    steps: { APPROVED: 'Approve', DRAFT: 'Take back' },
    correction: 'To put a mistake right, take the hours back, change them, and approve them again.',
  },
  invoices: {
    none: 'Bills to clients. An issued invoice is part of the books.',
    fields: {
      estimate_id: 'Estimate',
      replaces_id: 'Replaces',
      po_number: 'PO number',
      paid_minor: 'Paid',
      open_minor: 'Open',
    },
    sums: { beside_minor: 'Other invoices of the estimate' },
    steps: { ISSUED: 'Issue', VOID: 'Void' },
    correction: {
      ISSUED:
        'To put a mistake right, void it, its payments first, and issue a new invoice: “Void and copy” does both.',
      PAID: 'To put a mistake right, void its payments, then the invoice, and issue a new one.',
      VOID: 'To issue it anew, copy it.',
    },
    make: 'Make invoice',
  },
  payments: {
    none: 'What clients have paid of invoices.',
    fields: {
      invoice_id: 'Invoice',
      amount_minor: 'Amount',
    },
    steps: { VOID: 'Void' },
    correction: {
      RECEIVED: 'To put a mistake right, void it and record it again.',
      VOID: 'To have it again, copy it or record a new one.',
    },
    make: 'Record payment',
  },
  contracts: {
    none: 'What subcontractors do on projects, and for how much.',
    fields: {
      subcontractor_id: 'Subcontractor',
      amount_minor: 'Amount',
    },
    steps: { SIGNED: 'Sign', CLOSED: 'Close' },
    correction: 'To put a mistake right, close it and sign a new contract.',
  },
  equipment_logs: {
    add: 'New log',
    none: 'Days of use and services of equipment.',
    fields: {
      equipment_id: 'Equipment',
      logged_on: 'Day',
    },
    values: { USAGE: 'Use' },
    steps: { 'true>false': 'Not billed' },
    correction: 'To put a mistake right, mark it as not billed, change it, and bill it again.',
  },
})

/** The words of the company itself, which is no resource. */
const companies = {
  fields: {
    registration_no: 'Register no.',
    bank_name: 'Bank',
    iban: 'IBAN',
    bic: 'BIC',
    valid_days: 'Estimates are valid for, days',
    paper_language: 'Language of papers',
    footer: 'Footer of papers',
  },
  values: { en: 'English', de: 'German' },
}

/** The names of fields and states that are not spelled as in the registry, and of the steps between states. */
export const records = { ...ofResources, companies }

/** Fields of several resources that are not spelled as in the registry, and the name, which other pages have too. */
export const commonFields = {
  name: 'Name',
  client_id: 'Client',
  category_id: 'Category',
  email: 'E-mail',
  trade_id: 'Trade',
  contact_name: 'Contact',
  tax_id: 'Tax number',
  payment_terms_days: 'Payment terms, days',
  project_id: 'Project',
  discount_pct: 'Discount, %',
  tax_pct: 'Tax, %',
  subtotal_minor: 'Subtotal',
  discount_minor: 'Discount',
  tax_minor: 'Tax',
  total_minor: 'Total',
  worker_id: 'Worker',
  id: 'ID',
  external_ref: 'External reference',
  created_at: 'Created',
  updated_at: 'Changed',
}

/** The fields inside an address and inside a line. */
export const memberFields = {
  address: {
    line1: 'Street',
    line2: 'Street, second line',
    city: 'City',
    region: 'Region',
    postal_code: 'Postal code',
    country: 'Country',
  },
  lines: { description: 'Description', quantity: 'Quantity', unit: 'Unit', unit_price_minor: 'Unit price' },
}

/** The heading of the sums of a sheet. */
export const sheet = { sum: 'Sum' }

/** The words of papers. */
export const paper = {
  /** The heading of the addressee for readers that see none of its place. */
  addressee: 'To',
  amount: 'Amount',
  bank: 'Bank details',
  clientTax: 'Your tax number',
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  mail: (name: string, title: string, company: string) =>
    `Dear ${name},\n\nplease find attached our ${title}.\n\nKind regards\n${company}`,
}
