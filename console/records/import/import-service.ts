import type { ImportShown } from '#derive/console/answers.ts'
import type { SessionService } from '#derive/import/session.ts'
import { ask, askOnce, isRefused } from '../../client/ask.ts'
import type { useWrite } from '../../client/use-write.ts'

/** Returns the operations of an import, as the console asks the service for them. */
export const serviceOf = (records: string, write: ReturnType<typeof useWrite>): SessionService<ImportShown> => ({
  list: async () => (await ask('records.imports', { records })).data,
  begin: async (body) => (await write('records.begin-import', { records, body })).data.write_id,
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
  // The key is that of the part and its plan: sent again after a lost answer, it is done once.
  async apply(writeId, { from, to, operations, plan }) {
    const request = { records, id: writeId, body: { from, to, operations } }
    const given = plan === null ? request : { ...request, plan: { hash: plan } }
    try {
      await askOnce('records.import', `import.${writeId}.${from}.${plan}`, given)
      return 'done'
    } catch (error) {
      if (isRefused(error, 'plan_changed') || isRefused(error, 'batch_refused')) return 'changed'
      throw error
    }
  },
})
