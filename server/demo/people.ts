/** Who signs in to the demo. Their passwords are drawn for each database. */

export const demoOwners = [
  { name: 'Ada Marsh', email: 'ada@harbor-masonry.example' },
  { name: 'Hal Whitcombe', email: 'hal@hilltop-roofing.example' },
] as const

export const foreman = { name: 'Femi Adeyemi', email: 'femi@harbor-masonry.example' } as const

export const bookkeeper = { name: 'Ottilie Brandt', email: 'ottilie@harbor-masonry.example' } as const

/** The passwords that the demo had before they were drawn. They stood in these sources: none of them is left in force. */
export const publishedPasswords = ['harbor-demo-1', 'hilltop-demo-1', 'foreman-demo-1', 'office-demo-1'] as const
