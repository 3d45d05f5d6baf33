import type { ImportService, Part } from '#derive/import/importer.ts'
import { ask, askOnce, isRefused } from '../../client/ask.ts'

/** What an import asks of the service. */

export const serviceOf = (records: string): ImportService => ({
  async lookUp(field, values) {
    return (await ask('records.look-up', { records, body: { field, values: [...values] } })).data
  },
  async attempt(operations) {
    try {
      const { data, plan } = await ask('records.try-import', { records, body: { operations: [...operations] } })
      if (!plan) throw new Error('a try has no plan')
      return { changed: data.operations.map(({ data: { changed } }) => changed ?? null), plan }
    } catch (error) {
      if (isRefused(error, 'batch_refused')) return { refused: error.body.refused ?? [] }
      throw error
    }
  },
})

/** The key is that of the part and its plan: sent again after a lost answer, it is done once. */
export async function applyPart(
  records: string,
  writeId: string,
  { from, to, operations, plan }: Part,
): Promise<'done' | 'changed'> {
  try {
    await askOnce('records.import', `import.${writeId}.${from}.${plan}`, {
      ...{ records, id: writeId, body: { from, to, operations } },
      ...(plan === null ? {} : { plan: { hash: plan } }),
    })
    return 'done'
  } catch (error) {
    if (isRefused(error, 'plan_changed') || isRefused(error, 'batch_refused')) return 'changed'
    throw error
  }
}
