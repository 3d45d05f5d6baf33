import type { Line } from '#registry/fields/lines.ts'
import { totals } from '#registry/resources/totals.ts'
import type { ProjectCategory } from './lists.ts'

/** A piece of work, as large as the days it takes. */
export type Job = { category: ProjectCategory; days: number }

type Item = readonly [description: string, unit: string, priceMinor: number, aDay: number]

/** The prices of Harbor Masonry, and the quantity for a day of work. */
const scaffold: Item = ['Scaffold, erect and strike', 'sq ft', 425, 12]
const demolition: Item = ['Take down defective masonry', 'sq ft', 1150, 6]
const brick: Item = ['Facing brick, laid', 'sq ft', 3800, 9]
const block: Item = ['Concrete block 8 in, laid', 'sq ft', 1950, 14]
const coping: Item = ['Granite coping, cut and set', 'lin ft', 14_500, 1.5]
const pointing: Item = ['Repointing in lime mortar', 'sq ft', 1275, 20]
const footing: Item = ['Footing, reinforced', 'cu yd', 48_500, 0.4]
const membrane: Item = ['Waterproof membrane', 'sq ft', 640, 10]
const bluestone: Item = ['Bluestone paving on sand', 'sq ft', 3150, 16]
const steps: Item = ['Granite steps, set', 'lin ft', 21_000, 0.8]
const cap: Item = ['Chimney cap, cast stone', 'item', 185_000, 0.05]
const flue: Item = ['Flue liner, clay', 'lin ft', 9200, 1.2]
const crane: Item = ['Crane with operator', 'day', 165_000, 0.03]
const cleaning: Item = ['Cleaning and disposal', 'item', 95_000, 0.02]

const items: { readonly [C in ProjectCategory]: readonly Item[] } = {
  Restoration: [scaffold, demolition, pointing, cleaning],
  'New build': [footing, block, brick, scaffold, cleaning],
  'Retaining wall': [footing, block, membrane, coping],
  Chimney: [scaffold, demolition, brick, cap, flue],
  Paving: [bluestone, steps, cleaning],
  Facade: [scaffold, demolition, brick, pointing, crane],
}

const linesOf = ({ category, days }: Job): Line[] =>
  items[category].map(([description, unit, unit_price_minor, aDay]) => ({
    description,
    quantity: Math.max(1, Math.round(days * aDay)),
    unit,
    unit_price_minor,
  }))

/** The larger the job, the larger the discount. */
const termsOf = ({ days }: Job): { discount_pct: number | null; tax_pct: number } => ({
  discount_pct: days >= 200 ? 5 : days >= 100 ? 2.5 : null,
  tax_pct: 5.5,
})

export const priceOf = (job: Job): number => totals(offerOf(job)).total_minor

export const offerOf = (job: Job) => ({ lines: linesOf(job), ...termsOf(job) })
