/** Well-known example sentences, in small letters and without blanks or signs. */
export const knownPassphrases: ReadonlySet<string> = new Set(
  [
    'correct horse battery staple',
    'cleft cam synod lacy yr wok',
    'the quick brown fox jumps over the lazy dog',
    'my voice is my passport verify me',
    'now is the time for all good men to come to the aid of the party',
    'to be or not to be that is the question',
    'may the force be with you',
    'all your base are belong to us',
    'lorem ipsum dolor sit amet',
    'once upon a time in the west',
  ].map((text) => text.replaceAll(' ', '')),
)
