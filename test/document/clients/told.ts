type Told = { records: string; write_id: string | null }

/**
 * The changes of a write that made a client and a project, after a cursor. Pages are read on until both are among those
 * told: other programs have written before, and a page can end between the two.
 */
export async function toldTogether<Change extends Told>(
  after: string,
  read: (after: string) => Promise<{ data: Change[]; meta: { next: string } } | undefined>,
  before: readonly Change[] = [],
): Promise<Change[]> {
  const page = await read(after)
  if (page === undefined) throw new Error('The changes were not answered.')
  const told = [...before, ...page.data]
  const of = (write: string | null, name: string) =>
    told.some(({ records, write_id }) => write_id === write && records === name)
  const both = told.find(({ write_id }) => of(write_id, 'clients') && of(write_id, 'projects'))
  return both ? told.filter(({ write_id }) => write_id === both.write_id) : toldTogether(page.meta.next, read, told)
}
