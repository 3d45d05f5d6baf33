import { pluralizeGerman as pluralize } from '../count.ts'
import type { agents as en, agentSettings as enSettings } from '../en/agents.ts'

/** Die Texte über Agenten: worum sie bitten und was sie dürfen. */
export const agents: typeof en = {
  title: 'Agenten',
  lead: 'Was Programme eines Sprachmodells vorbereitet haben. Was schaden kann, wartet hier, bis jemand es freigibt.',
  none: 'Es wurde um nichts gebeten',
  noneLead: 'Sobald ein Agent eine Änderung vorbereitet, über die Sie entscheiden dürfen, steht sie hier.',
  waiting: 'Wartet auf einen Menschen',
  others: 'Alles andere',
  one: 'Änderung eines Agenten',
  by: (who) => `nennt sich ${who}`,
  records: pluralize('# Datensatz', '# Datensätze'),
  noReason: 'Der Grund ist nicht mehr bekannt',
  nothing: 'nichts',
  says: 'Was der Agent sagt',
  unchecked: 'Das sind die Worte des Agenten. Niemand hat sie geprüft.',
  claims: 'Nennt sich',
  token: 'Token',
  asked: 'Vorbereitet',
  until: 'Anwendbar bis',
  needs: 'Braucht einen Menschen, weil',
  because: {
    deletes: 'etwas gelöscht wird',
    undoes: 'eine Änderung zurückgenommen wird',
    protects: 'ein Datensatz festgeschrieben werden kann',
    many: 'sich mehr Datensätze ändern, als ein Agent allein ändern darf',
    hourly: 'Agenten in dieser Stunde nicht mehr Datensätze allein ändern dürfen',
    always: 'jede Änderung eines Agenten einen braucht',
  },
  plan: 'Was getan würde',
  done: 'Was getan wurde',
  actions: {
    created: 'Neu',
    updated: 'Geändert',
    deleted: 'Gelöscht',
    erased: 'Endgültig gelöscht',
    restored: 'Wiederhergestellt',
  },
  hidden: 'Der Agent darf die Werte nicht sehen, daher stehen sie nicht hier. Was er gesendet hat, steht unten.',
  newRecord: 'ein neuer Datensatz dieser Änderung',
  more: pluralize('# weiteren zeigen', '# weitere zeigen'),
  beyond: pluralize('und # weiterer, der nicht aufgeführt ist', 'und # weitere, die nicht aufgeführt sind'),
  sent: 'Was der Agent gesendet hat, im Wortlaut',
  decide: 'Ihre Entscheidung',
  approveLead: 'Die Freigabe schreibt nichts. Danach kann der Agent genau das tun und nichts anderes.',
  declineLead: 'Es ist freigegeben und noch nicht angewendet. Sie können es noch ablehnen.',
  approve: 'Freigeben',
  decline: 'Ablehnen',
  approvedNow: 'Freigegeben. Der Agent kann es jetzt anwenden.',
  declinedNow: 'Abgelehnt. Es geschieht nichts.',
  outcomes: {
    approved: 'Freigegeben, noch nicht angewendet.',
    declined: 'Abgelehnt. Es geschah nichts.',
    applied: 'Angewendet. Sie können es zurücknehmen.',
    expired: 'Die Zeit ist abgelaufen. Es geschah nichts.',
  },
  states: {
    open: 'Vorbereitet',
    waiting: 'Wartet',
    approved: 'Freigegeben',
    declined: 'Abgelehnt',
    applied: 'Angewendet',
    expired: 'Abgelaufen',
  },
  mayNot: 'Darüber dürfen Sie nicht entscheiden',
  mayNotLead: (permission) =>
    `Dafür ist ${permission} nötig, das Ihr Konto nicht hat. Fragen Sie jemanden, der es hat.`,
  homeTitle: 'Agenten warten auf Sie',
  menu: pluralize('# wartet auf Sie', '# warten auf Sie'),
}

/** Einstellungen, Agenten. */
export const agentSettings: typeof enSettings = {
  lead: 'Ein Programm eines Sprachmodells kann mit dem Token der Firma Datensätze finden, lesen und ändern. Es bereitet jede Änderung vor und tut dann genau das, einmal.',
  limit:
    'Eine Freigabe bindet nur einen Agenten, der allein diese Werkzeuge hat. Wer das Token hat, kann die API unmittelbar aufrufen, und dort wird niemand gefragt. Geben Sie ihm kein Recht, das Sie dem Agenten nicht geben würden.',
  enabled: 'Agenten dürfen mit den Datensätzen der Firma arbeiten',
  recordsMaxHint:
    'Eine Änderung von mehr braucht einen Menschen. Löschen, Zurücknehmen und Festschreiben brauchen immer einen.',
  ownPasswordWhy: 'Damit dürfen Agenten mehr: zeigen Sie, dass Sie es sind.',
  savedOn: 'Gespeichert. Agenten sind an.',
  savedOff: 'Gespeichert. Agenten sind aus.',
  connect: 'Einen Agenten anschließen',
  connectLead: 'Geben Sie ihm diese Adresse und das Token in der Kopfzeile Authorization.',
  address: 'Adresse für Agenten',
  asked: 'Worum Agenten gebeten haben',
}
