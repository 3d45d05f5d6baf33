import type { Texts } from '../en/index.ts'

/** Why a typed text, or the cell of a file, is no value of its field. */
export const faults: Texts['faults'] = {
  not_a_number: (part) => `ist keine Zahl: „${part}“ gehört nicht dazu`,
  other_currency: (part) => `ist kein Betrag in der Währung der Firma: „${part}“ gehört nicht dazu`,
  too_many_decimals: (part) => `hat zu viele Dezimalen: ${part}`,
  not_hours: (part) => `sind keine Stunden wie 7:30 oder 7,5: „${part}“ gehört nicht dazu`,
  not_a_day: (part) => `ist kein Tag: „${part}“ gehört nicht dazu`,
  short_year: (part) => `hat ein Jahr ohne vier Ziffern: ${part}`,
  has_time: (part) => `hat eine Uhrzeit: ${part}`,
  no_such_word: (part) => `ist keiner der Werte, die es dort gibt: „${part}“`,
  not_yes_or_no: () => 'muss ja oder nein sein',
  not_a_phone: (part) => `ist keine Telefonnummer: „${part}“ gehört nicht dazu`,
  not_an_email: (part) => `ist nicht eine einzige E-Mail-Adresse: „${part}“ gehört nicht dazu`,
  not_an_address: (part) => `ist keine Webadresse: „${part}“ gehört nicht dazu`,
  not_an_id: (part) => `ist keine ID: „${part}“`,
  invisible: (part) => `enthält das unsichtbare Zeichen ${part}`,
}
