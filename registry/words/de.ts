import type { company } from '../company.ts'
import type { Resource } from '../resources/index.ts'
import type * as english from './en.ts'
import type { RecordTexts } from './en.ts'

/** German names everything itself, because the registry has English names. */
type NamedTexts<R extends Resource> = RecordTexts &
  Required<Pick<RecordTexts, 'one' | 'many' | 'add'>> &
  NamedFields<R['fields']> &
  (R extends { sums: infer Sums } ? { sums: { [sum in keyof Sums]: string } } : object)
type NamedFields<Fields> = {
  fields: { [field in Exclude<keyof Fields, keyof typeof commonFields>]: string }
  values: { [value in ValueOf<Fields[keyof Fields]>]: string }
}
type ValueOf<F> = F extends { kind: 'choice'; values: readonly (infer Value extends string)[] } ? Value : never

export const records: { [R in Resource as R['name']]: NamedTexts<R> } & {
  companies: NamedFields<(typeof company)['fields']>
} = {
  companies: {
    fields: {
      registration_no: 'Registernr.',
      website: 'Webseite',
      bank_name: 'Bank',
      iban: 'IBAN',
      bic: 'BIC',
      address: 'Anschrift',
      valid_days: 'Angebote gelten, Tage',
      paper_language: 'Sprache der Papiere',
      footer: 'Fußzeile der Papiere',
      time_zone: 'Zeitzone',
    },
    values: { en: 'Englisch', de: 'Deutsch' },
  },
  projects: {
    one: 'Projekt',
    many: 'Projekte',
    add: 'Neues Projekt',
    none: 'Projekte halten die Arbeit fest: für wen, wo, bis wann und für wie viel.',
    fields: {
      description: 'Beschreibung',
      manager_id: 'Leitung',
      address: 'Baustelle',
      start_date: 'Beginn',
      end_date: 'Ende',
      contract_minor: 'Auftragswert',
      budget_minor: 'Budget',
      percent_complete: 'Fertig, %',
    },
    values: {
      ACTIVE: 'Aktiv',
      BIDDING: 'Im Angebot',
      ON_HOLD: 'Pausiert',
      COMPLETED: 'Fertig',
      CANCELLED: 'Abgesagt',
      ARCHIVED: 'Archiviert',
    },
    sums: {
      estimated_minor: 'Angenommene Angebote',
      invoiced_minor: 'Berechnet',
      paid_minor: 'Bezahlt',
      labour_minor: 'Löhne',
      contracts_minor: 'Nachunternehmer',
      equipment_minor: 'Geräte',
      draft_hours: 'Freizugebende Stunden',
    },
    steps: {
      ACTIVE: 'Aktivieren',
      ON_HOLD: 'Pausieren',
      COMPLETED: 'Abschließen',
      CANCELLED: 'Absagen',
      ARCHIVED: 'Archivieren',
    },
  },
  workers: {
    one: 'Mitarbeiter',
    many: 'Mitarbeiter',
    add: 'Neuer Mitarbeiter',
    none: 'Alle, die für Sie arbeiten, ob angestellt oder nicht.',
    fields: {
      employee_no: 'Personalnr.',
      employment_type: 'Beschäftigung',
      supervisor_id: 'Vorgesetzter',
      hired_on: 'Eintritt',
      left_on: 'Austritt',
      hourly_cost_minor: 'Kosten je Stunde',
      bill_rate_minor: 'Verrechnungssatz',
    },
    values: {
      ACTIVE: 'Aktiv',
      INACTIVE: 'Inaktiv',
      ON_LEAVE: 'Abwesend',
      LEFT: 'Ausgetreten',
      EMPLOYEE: 'Angestellt',
      TEMPORARY: 'Befristet',
      APPRENTICE: 'In Ausbildung',
      CONTRACTOR: 'Freier Mitarbeiter',
    },
  },
  clients: {
    one: 'Kunde',
    many: 'Kunden',
    add: 'Neuer Kunde',
    none: 'Für wen Sie arbeiten oder arbeiten möchten. Projekte, Angebote und Rechnungen führen zu ihnen.',
    fields: {
      kind: 'Art',
      website: 'Webseite',
      billing_address: 'Rechnungsadresse',
      credit_limit_minor: 'Kreditlimit',
    },
    values: {
      ACTIVE: 'Aktiv',
      PROSPECT: 'Interessent',
      INACTIVE: 'Inaktiv',
      BLOCKED: 'Gesperrt',
      COMPANY: 'Firma',
      INDIVIDUAL: 'Privatperson',
      PUBLIC: 'Öffentliche Hand',
    },
  },
  estimates: {
    one: 'Angebot',
    many: 'Angebote',
    add: 'Neues Angebot',
    none: 'Ein Angebot nennt einem Kunden bepreiste Positionen und errechnet Rabatt, Steuer und Summe.',
    fields: {
      issue_date: 'Ausgestellt am',
      valid_until: 'Gültig bis',
    },
    sums: { invoiced_minor: 'Berechnet' },
    values: {
      DRAFT: 'Entwurf',
      SENT: 'Versandt',
      ACCEPTED: 'Angenommen',
      REJECTED: 'Abgelehnt',
      EXPIRED: 'Abgelaufen',
    },
    steps: {
      DRAFT: 'Zurück zum Entwurf',
      SENT: 'Als versandt markieren',
      ACCEPTED: 'Annehmen',
      REJECTED: 'Ablehnen',
      EXPIRED: 'Als abgelaufen markieren',
    },
    correction: 'Um einen Fehler zu berichtigen, machen Sie ein neues Angebot und lassen das annehmen.',
  },
  subcontractors: {
    one: 'Nachunternehmer',
    many: 'Nachunternehmer',
    add: 'Neuer Nachunternehmer',
    none: 'Firmen, die einen Teil der Arbeit übernehmen, mit Zulassung und Versicherung.',
    fields: {
      license_number: 'Zulassungsnr.',
      license_expires_on: 'Zulassung bis',
      insurance_provider: 'Versicherer',
      insurance_policy_no: 'Policennr.',
      insurance_expires_on: 'Versichert bis',
      retention_pct: 'Einbehalt, %',
      rating: 'Bewertung, 1 bis 5',
      address: 'Adresse',
    },
    values: { ACTIVE: 'Aktiv', PENDING: 'In Prüfung', INACTIVE: 'Inaktiv', BLOCKED: 'Gesperrt' },
  },
  equipment: {
    one: 'Gerät',
    many: 'Geräte',
    add: 'Neues Gerät',
    none: 'Maschinen, Fahrzeuge und Werkzeug: wo sie sind, wer sie hat und wann die Wartung ansteht.',
    fields: {
      make: 'Hersteller',
      model: 'Modell',
      year: 'Baujahr',
      serial_number: 'Seriennr.',
      ownership: 'Besitz',
      supplier_id: 'Lieferant',
      purchase_date: 'Gekauft am',
      purchase_price_minor: 'Kaufpreis',
      daily_rate_minor: 'Tagessatz',
      meter_hours: 'Betriebsstunden',
      next_service_on: 'Nächste Wartung',
    },
    values: {
      ACTIVE: 'Verfügbar',
      IN_USE: 'Im Einsatz',
      MAINTENANCE: 'In Wartung',
      RETIRED: 'Ausgemustert',
      OWNED: 'Eigen',
      RENTED: 'Gemietet',
      LEASED: 'Geleast',
    },
  },
  trades: {
    one: 'Gewerk',
    many: 'Gewerke',
    add: 'Neues Gewerk',
    none: 'Gewerke von Mitarbeitern und Nachunternehmern.',
    fields: {},
    values: {},
  },
  categories: {
    one: 'Kategorie',
    many: 'Kategorien',
    add: 'Neue Kategorie',
    none: 'Kategorien ordnen Projekte, Kunden und Geräte.',
    fields: { kind: 'Für' },
    values: { project: 'Projekte', client: 'Kunden', equipment: 'Geräte' },
  },
  tasks: {
    one: 'Aufgabe',
    many: 'Aufgaben',
    add: 'Neue Aufgabe',
    none: 'Was auf einem Projekt zu tun ist.',
    fields: { done: 'Erledigt' },
    values: {},
  },
  contacts: {
    one: 'Kontakt',
    many: 'Kontakte',
    add: 'Neuer Kontakt',
    none: 'Ansprechpartner bei einem Kunden.',
    fields: {},
    values: {},
  },
  time_entries: {
    one: 'Zeiteintrag',
    many: 'Zeiteinträge',
    add: 'Neuer Zeiteintrag',
    none: 'Stunden, die Mitarbeiter auf Projekten geleistet haben. Freigegebene Stunden gehören zu den Büchern.',
    fields: { worked_on: 'Tag', cost_minor: 'Kosten' },
    values: { DRAFT: 'Freizugeben', APPROVED: 'Freigegeben' },
    steps: { APPROVED: 'Freigeben', DRAFT: 'Zurücknehmen' },
    correction: 'Um einen Fehler zu berichtigen, nehmen Sie die Stunden zurück, ändern sie und geben sie wieder frei.',
  },
  invoices: {
    one: 'Rechnung',
    many: 'Rechnungen',
    add: 'Neue Rechnung',
    none: 'Rechnungen an Kunden. Eine gestellte Rechnung gehört zu den Büchern.',
    fields: {
      estimate_id: 'Angebot',
      issued_on: 'Gestellt am',
      due_on: 'Fällig am',
      replaces_id: 'Ersetzt',
      po_number: 'Bestellnummer',
      paid_minor: 'Bezahlt',
      open_minor: 'Offen',
      note: 'Bemerkung',
    },
    values: { DRAFT: 'Entwurf', ISSUED: 'Gestellt', PAID: 'Bezahlt', VOID: 'Storniert' },
    sums: { paid_minor: 'Bezahlt', beside_minor: 'Andere Rechnungen des Angebots' },
    steps: { ISSUED: 'Stellen', VOID: 'Stornieren' },
    correction: {
      ISSUED:
        'Um einen Fehler zu berichtigen, stornieren Sie die Rechnung, zuerst ihre Zahlungen, und stellen eine neue: „Stornieren und kopieren“ tut beides.',
      PAID: 'Um einen Fehler zu berichtigen, stornieren Sie zuerst die Zahlungen, dann die Rechnung, und stellen eine neue.',
      VOID: 'Um sie neu zu stellen, kopieren Sie sie.',
    },
    actions: { void_and_copy: 'Stornieren und kopieren' },
    make: 'Rechnung erstellen',
  },
  payments: {
    one: 'Zahlung',
    many: 'Zahlungen',
    add: 'Neue Zahlung',
    none: 'Was Kunden auf Rechnungen bezahlt haben.',
    fields: {
      invoice_id: 'Rechnung',
      paid_on: 'Bezahlt am',
      amount_minor: 'Betrag',
      method: 'Zahlungsart',
      reference: 'Verwendungszweck',
    },
    values: {
      TRANSFER: 'Überweisung',
      CARD: 'Karte',
      CASH: 'Bar',
      CHEQUE: 'Scheck',
      OTHER: 'Andere',
      RECEIVED: 'Eingegangen',
      VOID: 'Storniert',
    },
    sums: { same_minor: 'Dieselbe Zahlung' },
    steps: { VOID: 'Stornieren' },
    correction: {
      RECEIVED: 'Um einen Fehler zu berichtigen, stornieren Sie die Zahlung und erfassen sie neu.',
      VOID: 'Um sie wieder zu haben, kopieren Sie sie oder erfassen eine neue.',
    },
    make: 'Zahlung erfassen',
  },
  contracts: {
    one: 'Vertrag',
    many: 'Verträge',
    add: 'Neuer Vertrag',
    none: 'Was Nachunternehmer auf Projekten leisten, und für wie viel.',
    fields: {
      subcontractor_id: 'Nachunternehmer',
      amount_minor: 'Betrag',
      signed_on: 'Unterschrieben am',
    },
    values: { DRAFT: 'Entwurf', SIGNED: 'Unterschrieben', CLOSED: 'Abgeschlossen' },
    steps: { SIGNED: 'Unterschreiben', CLOSED: 'Abschließen' },
    correction: 'Um einen Fehler zu berichtigen, schließen Sie den Vertrag ab und unterschreiben einen neuen.',
  },
  equipment_logs: {
    one: 'Geräteeintrag',
    many: 'Geräteeinträge',
    add: 'Neuer Eintrag',
    none: 'Einsatztage und Wartungen von Geräten.',
    fields: {
      equipment_id: 'Gerät',
      logged_on: 'Tag',
      type: 'Art',
      cost_minor: 'Kosten',
      billed: 'Abgerechnet',
    },
    values: { USAGE: 'Einsatz', SERVICE: 'Wartung' },
    steps: { 'true>false': 'Nicht abgerechnet' },
    correction:
      'Um einen Fehler zu berichtigen, nehmen Sie die Abrechnung zurück, ändern den Eintrag und rechnen ihn wieder ab.',
  },
}

export const commonFields = {
  name: 'Name',
  code: 'Kürzel',
  status: 'Status',
  client_id: 'Kunde',
  category_id: 'Kategorie',
  email: 'E-Mail',
  phone: 'Telefon',
  trade_id: 'Gewerk',
  contact_name: 'Ansprechpartner',
  tax_id: 'Steuernummer',
  payment_terms_days: 'Zahlungsziel, Tage',
  title: 'Titel',
  number: 'Nummer',
  project_id: 'Projekt',
  lines: 'Positionen',
  discount_pct: 'Rabatt, %',
  tax_pct: 'Steuer, %',
  subtotal_minor: 'Zwischensumme',
  discount_minor: 'Rabatt',
  tax_minor: 'Steuer',
  total_minor: 'Summe',
  worker_id: 'Mitarbeiter',
  hours: 'Stunden',
  id: 'ID',
  external_ref: 'Externe Referenz',
  notes: 'Notizen',
  currency: 'Währung',
  created_at: 'Angelegt',
  updated_at: 'Geändert',
} satisfies typeof english.commonFields & { [field: string]: string }

export const memberFields: typeof english.memberFields = {
  address: {
    line1: 'Straße',
    line2: 'Straße, zweite Zeile',
    city: 'Ort',
    region: 'Region',
    postal_code: 'Postleitzahl',
    country: 'Land',
  },
  lines: { description: 'Beschreibung', quantity: 'Menge', unit: 'Einheit', unit_price_minor: 'Einzelpreis' },
}

/** The heading of the sums of a sheet. */
export const sheet: typeof english.sheet = { sum: 'Summe' }

/** The words of papers. */
export const paper: typeof english.paper = {
  addressee: 'An',
  amount: 'Betrag',
  bank: 'Bankverbindung',
  clientTax: 'Ihre Steuernummer',
  page: (page, pages) => `Seite ${page} von ${pages}`,
  mail: (name, title, company) =>
    `Guten Tag ${name},\n\nanbei erhalten Sie: ${title}.\n\nMit freundlichen Grüßen\n${company}`,
}
