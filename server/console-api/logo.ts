import { Refusal } from '#registry/refusals.ts'
import { findLogo, type LogoRow } from '#sql/system/logos.ts'
import { checkLogo, setLogo } from '../service/logo.ts'
import { type Handlers, revocation } from './operation-request.ts'

/** The logo of the company, which its papers show. */

export const logo = {
  async 'logo.fetch'({ app, session, parameters }) {
    const { companyId } = session().actor
    const [row] = await app.database.read<LogoRow>(findLogo(companyId, parameters.hash ?? null))
    if (!row) throw new Refusal('not_found', { detail: 'The company has no such logo.' })
    return { status: 200, code: null, headers: { 'Content-Type': row.type }, body: row.bytes }
  },

  async 'logo.update'({ bytes, headers, change }) {
    const picture = checkLogo(await bytes(), headers.contentType)
    return change(
      async (transaction, { actor }) => ({ data: { logo: await setLogo(transaction, actor, picture) } }),
      revocation,
    )
  },

  'logo.delete': ({ change }) =>
    change(async (transaction, { actor }) => ({ data: { logo: await setLogo(transaction, actor, null) } }), revocation),
} satisfies Partial<Handlers>
