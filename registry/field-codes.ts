/** The meaning of each field code of a 422, for the documents. The message beside the code names the value. */
export const fieldCodes = {
  required: 'The field is needed, and is absent or null.',
  unknown_field: 'There is no such field here; the message lists those that can be sent.',
  read_only: 'The service sets the field itself, always or while another one is set.',
  wrong_type: 'The value is of another JSON type than the field.',
  too_short: 'The text is empty, or shorter than the field allows.',
  too_long: 'The text or list is longer than the field allows.',
  out_of_range: 'The number is below or above its bounds.',
  not_allowed: 'The value is none of the words that the field knows.',
  wrong_format: 'The type is right and the form is not: no day of the calendar, no e-mail address, too many decimals.',
  not_found: 'The reference leads to no live record of the company that could stand there.',
  not_unique: 'Another live record has the value; capitals, final sigmas and how accents are composed do not count.',
  date_order: 'A day lies before the one that it has to follow.',
  transition_not_allowed: 'The status cannot go from what it is to what was sent; the message says where it can go.',
  needed_by_status: 'The field may be empty, but not while the record has this status.',
  locked: 'The field can no longer change.',
  cycle: 'The reference would lead back to the record itself.',
  client_blocked: 'The client is BLOCKED and gets no new project.',
  not_of_client: 'The project is one of another client, or the estimate is to another.',
  not_of_project: 'The estimate is for another project. Only the web interface and the command keep invoices.',
  may_not_fall: 'The number is below the one on record and may only rise.',
  invisible: 'The text has a character that nobody sees, or no other; the message names it.',
  not_issued:
    'The record is a draft or void, of which nothing is sent or paid. Only the web interface and the command issue records.',
  has_payments:
    'The invoice has payments, which have to be VOID before. Only the web interface and the command keep invoices.',
  in_future: 'The day is after the company’s today. Only the web interface and the command note days of such acts.',
  unreachable: 'Nothing is sent to the address. Only the web interface and the command set webhooks.',
  too_weak: 'The new password is easily guessed. Only the web interface and the command set passwords.',
  wrong_password: 'The password is not the one of the account. Only the web interface asks for it.',
  above_estimate:
    'With the invoice, more than the estimate offers is invoiced before tax. Only the web interface asks about it.',
  too_late: 'The last day on which it could be accepted is over. Only the web interface asks about it.',
  overpaid: 'The payment is more than what is open. Only the web interface asks about it.',
  before_issue: 'The payment is of a day before the invoice was issued. Only the web interface asks about it.',
  same_payment: 'The invoice has a payment of the same day and amount. Only the web interface asks about it.',
} as const satisfies { readonly [code: string]: string }

type FieldCode = keyof typeof fieldCodes

/** The codes of doubts: problems that a person in the web interface may accept. Never renamed or reused. */
export const doubtCodes = [
  'too_late',
  'overpaid',
  'before_issue',
  'same_payment',
  'above_estimate',
] as const satisfies readonly FieldCode[]
export type DoubtCode = (typeof doubtCodes)[number]

/** Field codes that only the console's operations return. */
const consoleFieldCodes: readonly FieldCode[] = [
  'not_of_project',
  'not_issued',
  'has_payments',
  'in_future',
  'wrong_password',
  'too_weak',
  'unreachable',
  ...doubtCodes,
]

/** The field codes of /v1. */
export const apiFieldCodes = (Object.keys(fieldCodes) as FieldCode[]).filter(
  (code) => !consoleFieldCodes.includes(code),
)
