import type { JsonObject } from '#registry/json.ts'
import { turn } from './seeder.ts'

/** Made-up places of a coast that looks like Maine. The telephone numbers are of those kept for fiction. */

const towns = ['Gull Harbor', 'Saltmarsh', 'Port Alder', 'Millbrook', 'Stone Quay', 'Eastferry', 'Cape Ansel']
const streets = [
  'Quay Street',
  'Mill Lane',
  'Chandler Row',
  'Granite Hill',
  'Ropewalk',
  'Lighthouse Road',
  'Orchard Way',
]

/** Where all of it is. */
export const demoZone = 'America/New_York'

export const addressOf = (index: number): JsonObject => ({
  line1: `${3 + ((index * 17) % 180)} ${turn(streets, index * 3 + 1)}`,
  city: turn(towns, index),
  region: 'ME',
  postal_code: `040${String(10 + ((index * 7) % 80)).padStart(2, '0')}`,
  country: 'US',
})

export const phoneOf = (areaCode: number, index: number): string =>
  `+1 ${areaCode} 555 01${String(index % 100).padStart(2, '0')}`

/** "Fatima Idrissi" at a house is fatima.idrissi@house.example. */
export const emailOf = (name: string, house: string): string =>
  `${formatSlug(name).replaceAll('-', '.')}@${house}.example`

/** Lower-case letters and digits with a hyphen between the words: fit for addresses. */
export const formatSlug = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .trim()
    .replace(/[\s-]+/g, '-')
