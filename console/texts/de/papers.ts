import type { papers as english } from '../en/papers.ts'

/** The texts of papers: their page, and how they are sent. */
export const papers: typeof english = {
  pdf: 'PDF',
  send: 'Drucken oder senden',
  print: 'Drucken',
  mail: 'E-Mail-Entwurf',
  mailHint: 'Der Entwurf hat keine Datei: hängen Sie das PDF an.',
  noMail: 'Der Kunde hat noch keine E-Mail-Adresse.',
  share: 'Teilen',
  markSent: 'Als versandt markieren',
  by: 'Wie',
  on: 'Tag',
  methods: { EMAIL: 'Per E-Mail', POST: 'Per Post', IN_PERSON: 'Persönlich', OTHER: 'Auf andere Art' },
  marked: 'Es ist festgehalten, wie und wann dies versandt wurde.',
  sent: (method, day) => `Versandt am ${day}: ${method}.`,
  notFixed: 'Noch nicht festgehalten: es zeigt Kunde und Firma, wie sie jetzt sind.',
  changed: 'Dies wurde nach dem Versand geändert. Sie sehen es, wie es jetzt ist; senden Sie es noch einmal.',
  changedWas: 'Dies wurde nach dem Versand geändert. Sie sehen, was versandt wurde.',
  showSent: 'Zeigen, was versandt wurde',
  showNow: 'Zeigen, wie es jetzt ist',
  boxes: (characters) => `Das PDF zeigt ein Kästchen für diese Zeichen, die seine Schrift nicht hat: ${characters}`,
}
