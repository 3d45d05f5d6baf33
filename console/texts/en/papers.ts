/** The texts of papers: their page, and how they are sent. */
export const papers = {
  pdf: 'PDF',
  send: 'Print or send',
  print: 'Print',
  mail: 'E-mail draft',
  mailHint: 'The draft has no file: attach the PDF to it.',
  noMail: 'The client has no e-mail address yet.',
  share: 'Share',
  markSent: 'Mark as sent',
  by: 'How',
  on: 'Day',
  methods: { EMAIL: 'By e-mail', POST: 'By post', IN_PERSON: 'In person', OTHER: 'Otherwise' },
  marked: 'It is noted how and when this was sent.',
  sent: (method: string, day: string) => `Sent on ${day}, ${method.toLowerCase()}.`,
  notFixed: 'Not fixed yet: it shows the client and the company as they are now.',
  changed: 'This was changed after it was sent. You see it as it is now; send it again.',
  changedWas: 'This was changed after it was sent. You see what was sent.',
  showSent: 'Show what was sent',
  showNow: 'Show it as it is now',
  boxes: (characters: string) =>
    `The PDF shows a box for these characters, which its font does not have: ${characters}`,
}
