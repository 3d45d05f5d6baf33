import { expectedOf, readTags } from '#derive/expected-version.ts'
import { paperBlocks, paperName } from '#derive/paper.ts'
import {
  type Paper,
  type PaperLetterhead,
  type PaperRecord,
  type SendingMethod,
  sendingMethods,
} from '#derive/paper-content.ts'
import { invalidParameter, isValueOf, quoteText } from '#derive/query.ts'
import { listNeededRights } from '#derive/visible.ts'
import { type Definition, type PaperDefinition, type Problem, problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { permission } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { addresseeOf, findPaper } from '#sql/records/papers.ts'
import { findLogo, type LogoRow } from '#sql/system/logos.ts'
import { recordId } from '../protocol/path-id.ts'
import type { Actor } from '../records/actor.ts'
import { lackingRefusal } from '../records/rights.ts'
import { type SendRequest, sendPaper } from '../records/send-paper.ts'
import type { AdmittedRequest, Handlers, OperationRequest } from './operation-request.ts'
import { day } from './read-parameters.ts'

export const papers = {
  /** Returns the newest paper of a record, or what would be printed of it now. */
  'records.paper':
    ({ fetch: { definition } }) =>
    async (request) => ({
      data: await readPaper(request, paperDefinition(definition), readWhich(request.parameters.now)),
    }),

  /** Returns the same as PDF, drawn in the queue of the process. */
  'records.paper-file':
    ({ fetch: { definition } }) =>
    async (request) => {
      const kind = paperDefinition(definition)
      const { content, across, at } = await readPaper(request, kind, readWhich(request.parameters.now))
      const { companyId } = request.session().actor
      const blocks = paperBlocks(kind, content, across)
      const logo = await readLogo(request, content.letterhead)
      const job = { blocks, logo: logo?.bytes ?? null, at: at === null ? request.app.clock.now() : new Date(at) }
      const body = await request.outside(() => request.papers.draw(companyId, job))
      return {
        status: 200,
        headers: { ...pdfHeaders, 'Content-Disposition': dispositionOf(kind, content.record) },
        body,
      }
    },

  /** Returns the logo that stands on it. */
  'records.paper-logo':
    ({ fetch: { definition } }) =>
    async (request) => {
      const { content } = await readPaper(request, paperDefinition(definition))
      const logo = await readLogo(request, content.letterhead)
      if (!logo) throw new Refusal('not_found')
      return { status: 200, headers: { 'Content-Type': logo.type }, body: logo.bytes }
    },

  /** Notes how and when a record was sent, for those who may see its paper. A draft becomes what is sent by the same write. */
  'records.send-paper':
    ({ update: { definition } }) =>
    async (request) => {
      const kind = paperDefinition(definition)
      await readPaper(request, kind)
      const sending = readSending(await request.body(), request.today())
      const id = recordId(request)
      return request.change(async (transaction, { actor }) => {
        const { version } = await sendPaper({ transaction, actor }, kind, { id, ...sending })
        return { data: { version, sent_on: sending.on, sent_by: sending.by } }
      })
    },
} satisfies Partial<Handlers>

/**
 * Reads the paper of the record of the path. A paper is whole or refused, since it goes to its addressee as it is:
 * throws if the account lacks a right to something on it.
 */
async function readPaper(
  request: AdmittedRequest,
  kind: PaperDefinition,
  which: 'newest' | 'now' = 'newest',
): Promise<Paper> {
  const { actor } = request.session()
  needViews(actor, kind)
  const [paper] = await request.app.database.read<Paper>(findPaper(actor.companyId, kind, recordId(request), which))
  if (!paper) throw new Refusal('not_found')
  const { record, addressee } = paper.content
  needRights(actor, [...rightsOn(kind, record), ...rightsOn(addresseeOf(kind), addressee ?? {})])
  return paper
}

function readWhich(now: string | undefined): 'newest' | 'now' {
  if (now === undefined) return 'newest'
  if (now === '1') return 'now'
  throw invalidParameter('now', `is ${quoteText(now)}; it must be 1`)
}

/** Only resources with papers have these operations. */
const paperDefinition = (definition: Definition) => definition as PaperDefinition

const needViews = (actor: Actor, definition: PaperDefinition): void =>
  needRights(
    actor,
    [definition, addresseeOf(definition)].map(({ name }) => permission(name, 'VIEW')),
  )

/** Returns the permissions of the fields that have a value. */
const rightsOn = (definition: Definition, values: JsonObject): string[] =>
  listNeededRights(
    definition,
    Object.keys(values).filter((name) => values[name] !== null),
  )

function needRights({ lacksRights }: Actor, needed: readonly string[]): void {
  const missing = needed.find((right) => lacksRights.includes(right))
  if (missing !== undefined) throw lackingRefusal(missing, incomplete(missing))
}

const incomplete = (right: string): string =>
  `The paper shows something that needs ${right}, which the account does not hold, and is never given out in part. Ask somebody who manages the accounts of the company.`

async function readLogo({ app, session }: AdmittedRequest, { logo }: PaperLetterhead): Promise<LogoRow | undefined> {
  if (!logo) return undefined
  const [row] = await app.database.read<LogoRow>(findLogo(session().actor.companyId, logo))
  return row
}

/** Browsers show a PDF by a page of their own, with styles in its elements. The file itself loads nothing. */
const pdfHeaders = {
  'Content-Type': 'application/pdf',
  'Content-Security-Policy': "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

/** Names the file by the number of the record, with the characters that every system takes (RFC 6266, appendix D). */
const dispositionOf = (definition: PaperDefinition, record: PaperRecord): string =>
  `inline; filename="${paperName(definition, record).replaceAll(/[^\w.-]+/g, '-')}.pdf"`

/** Parses the body. Throws the problems of all its members. */
function readSending(
  { by, on, if_match: ifMatch }: Awaited<ReturnType<OperationRequest<'records.send-paper'>['body']>>,
  today: string,
): Omit<SendRequest, 'id'> {
  const tags = ifMatch === undefined ? undefined : readTags(ifMatch)
  const problems: Problem[] = [
    ...(isSendingMethod(by) ? [] : [problem('by', 'not_allowed', `must be one of ${sendingMethods.join(', ')}`)]),
    ...dayProblems(on, today),
    ...(ifMatch !== undefined && !tags ? [problem('if_match', 'wrong_format', 'must be * or a list of ETags')] : []),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  return { by: by as SendingMethod, on, expected: expectedOf({ ifMatch: tags }) }
}

const isSendingMethod = (by: string): by is SendingMethod => (sendingMethods as readonly string[]).includes(by)

function dayProblems(on: string, today: string): Problem[] {
  if (!isValueOf(day, on)) return [problem('on', 'wrong_format', 'must be a day like 2026-03-31')]
  return on > today ? [problem('on', 'in_future', `must not be after today, ${today}`)] : []
}
