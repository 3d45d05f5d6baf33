/** Who signs in to the demo. These passwords are printed and known to everybody: they are for trying things out. */

export const demoOwners = [
  { name: 'Ada Marsh', email: 'ada@harbor-masonry.example', password: 'harbor-demo-1' },
  { name: 'Hal Whitcombe', email: 'hal@hilltop-roofing.example', password: 'hilltop-demo-1' },
] as const

export const foreman = {
  name: 'Femi Adeyemi',
  email: 'femi@harbor-masonry.example',
  password: 'foreman-demo-1',
} as const

export const bookkeeper = {
  name: 'Ottilie Brandt',
  email: 'ottilie@harbor-masonry.example',
  password: 'office-demo-1',
} as const
