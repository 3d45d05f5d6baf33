import { resolve } from 'node:path'
import { formatCount, formatName } from '#derive/words.ts'
import { personKinds } from '#registry/persons.ts'
import { Refusal } from '#registry/refusals.ts'
import { type App, systemClock } from '../app.ts'
import { formatNoSuchFile } from '../embedded/problems.ts'
import { operator } from '../records/actor.ts'
import { showCompany } from '../service/company.ts'
import {
  emptyKept,
  erasePerson,
  findMentions,
  type Mention,
  mentionedMax,
  refuseActive,
} from '../service/erase-person.ts'
import {
  type ErasureRequest,
  isErased,
  NotErasable,
  type ReferringIds,
  type Remains,
  readPerson,
  readReferring,
  remainsOf,
} from '../service/persons.ts'
import type { Transaction } from '../store/database.ts'
import { type ErasedPerson, exceeds, keyOf, noteErased, readErased } from './erased-persons.ts'
import { Mistake } from './mistake.ts'
import { kindNamed } from './person-export.ts'
import { type ConfirmOptions, confirm, needsConfirmation } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { formatCompanyName, withExisting } from './with-app.ts'

export type EraseOptions = ConfirmOptions & { company: number; reason: string; papers: boolean }

/** Erases one person. */
export const erase = (
  context: CommandContext,
  name: string,
  id: number,
  { company: companyId, reason, papers: withBooks, yes }: EraseOptions,
): Promise<void> =>
  withExisting(context, async ({ app }) => {
    const kind = kindNamed(name)
    const request = { companyId, kind, id, withBooks }
    const { company, remains, referring } = await app.database.transaction(async (transaction) => ({
      company: await showCompany(transaction, companyId),
      remains: await remainsNow(transaction, request),
      referring: await readReferring(transaction, request),
    }))
    const who = `the ${kind.one} ${id} of ${formatCompanyName(company)}`
    const about = { company_id: companyId, kind: name, id }
    if (isErased(remains)) {
      const { keptPapers } = remains
      return context.say({
        json: { ...about, erased: false, mentioned_in: [], kept_papers: keptPapers },
        text: [`Nothing to do: ${who} is erased already.`, ...keptLines(keptPapers)].join('\n'),
      })
    }
    if (needsConfirmation(context, { yes })) await confirm(context, formatErasure(who, referring, withBooks))
    const { mentions, keptPapers } = await eraseNow(app, { ...request, reason })
    const text = [
      `Erased ${who}.`,
      ...keptLines(keptPapers),
      ...mentions.map(mentionLine),
      ...(mentions.length > 0 ? [mentionsAdvice] : []),
      after,
    ]
    context.say({
      json: { ...about, erased: true, mentioned_in: mentions, kept_papers: keptPapers },
      text: text.join('\n'),
    })
  })

const after =
  'Earlier backups still contain the person: keep erased-persons.jsonl, and erase again after a restore ("plumbline person erase --from").'
const mentionsAdvice =
  'These records were not changed: check whether the value means the person, and change them if it does.'

const keptLines = (kept: Remains['keptPapers']): string[] =>
  kept.map(
    ({ records, ids }) =>
      `Papers of the books still show it: those of ${formatName(records)} ${ids.join(', ')}. --papers empties them too.`,
  )

const mentionLine = ({ records, ids }: Mention): string =>
  `A former value is in ${formatName(records)} ${ids.join(', ')}${ids.length === mentionedMax ? ' and perhaps more' : ''}.`

/** Returns what is still to be erased. Throws if there is no such person, or if it cannot be erased at present. */
async function remainsNow(transaction: Transaction, request: ErasureRequest): Promise<Remains> {
  const person = await readPerson(transaction, request, false)
  const remains = remainsOf(person, request)
  if (!isErased(remains)) refuseActive(person)
  return remains
}

function formatErasure(who: string, referring: readonly ReferringIds[], withBooks: boolean): string {
  const counts = referring.map(({ records, field, ids }) => `${formatName(records)} (${field}): ${ids.length}`)
  const refers =
    counts.length === 0
      ? 'No record refers to it.'
      : `These refer to it and stay, without its name: ${counts.join('; ')}.`
  return `This erases ${who} for good. ${refers}
What the law makes a company keep, such as name and address on an issued invoice, is for you to decide before: ${
    withBooks ? 'nothing keeps them' : 'papers of the books keep them, and nothing else'
  }. A program that writes the person again, as an upsert every night does, brings the name back: stop it first.`
}

/** The records that still mention an erased person, and those whose papers show it. */
type Traces = { mentions: Mention[] } & Pick<Remains, 'keptPapers'>

/** Erases a person, with the line of the file before the commit. */
async function eraseNow(app: App, request: ErasureRequest & { reason: string }): Promise<Traces> {
  const { companyId, kind, id, withBooks } = request
  await emptyKept(app.database, companyId)
  const erasure = await app.database.transaction(async (transaction) => {
    const done = await erasePerson(transaction, operator(companyId), request)
    const at = systemClock.now().toISOString()
    const line = { company: companyId, kind: kind.name, id, at, ...(withBooks ? { papers: true as const } : {}) }
    if (done.isDone) await noteErased(app.config, [line])
    return done
  })
  return { mentions: await findMentions(app.database, companyId, erasure), keptPapers: erasure.keptPapers }
}

/** `became` is "erased", or the result of `stateOf`. */
type RepeatedErasure = { person: ErasedPerson; became: string }

/** Erases all persons in the files who are not erased in the database. */
export async function eraseAgain(
  context: CommandContext,
  { files, yes }: ConfirmOptions & { files: readonly string[] },
): Promise<void> {
  const { persons, unreadable } = await readAll(files)
  await withExisting(context, async ({ app }) => {
    const waiting: ErasedPerson[] = []
    const results: RepeatedErasure[] = []
    for (const person of persons) {
      const state = await stateOf(app, person)
      if (state === 'is to be erased') waiting.push(person)
      else results.push({ person, became: state })
    }
    if (waiting.length > 0 && needsConfirmation(context, { yes }))
      await confirm(context, `This erases ${formatCount(waiting.length, 'person')} again, for good.`)
    for (const person of waiting) {
      await eraseNow(app, { ...requestOf(person), reason: `Erased on ${person.at}, and again after a restore` })
      results.push({ person, became: 'erased' })
    }
    // The own file then has all persons when another backup is restored.
    await noteErased(app.config, persons)
    context.say(summary(results, unreadable))
  })
}

async function readAll(files: readonly string[]): Promise<{ persons: ErasedPerson[]; unreadable: number }> {
  const all = new Map<string, ErasedPerson>()
  let unreadable = 0
  for (const file of files) {
    const read = await readErased(file)
    if (read === null) throw new Mistake(formatNoSuchFile(resolve(file)), 'file_not_found')
    for (const person of read.persons) if (exceeds(person, all.get(keyOf(person)))) all.set(keyOf(person), person)
    unreadable += read.unreadable
  }
  return { persons: [...all.values()], unreadable }
}

const requestOf = ({ company, kind, id, papers }: ErasedPerson): ErasureRequest => ({
  companyId: company,
  kind: kindNamed(kind),
  id,
  withBooks: papers === true,
})

/** Returns the state of a person in the file, or the reason if the person cannot be erased at present. */
export async function stateOf({ database }: Pick<App, 'database'>, person: ErasedPerson): Promise<string> {
  if (!personKinds.some(({ name }) => name === person.kind)) return 'is not there'
  try {
    const remains = await database.transaction((transaction) => remainsNow(transaction, requestOf(person)))
    return isErased(remains) ? 'is erased' : 'is to be erased'
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return 'is not there'
    if (error instanceof NotErasable) return error.message
    throw error
  }
}

function summary(results: readonly RepeatedErasure[], unreadable: number) {
  const count = (became: string): number => results.filter((one) => one.became === became).length
  const left = results.filter(({ became }) => !['erased', 'is erased', 'is not there'].includes(became))
  const lines = [
    `Erased again: ${count('erased')}; erased already: ${count('is erased')}; not there: ${count('is not there')}.`,
    ...left.map(
      ({ person, became }) => `Not erased: ${person.kind} ${person.id} of company ${person.company}. ${became}`,
    ),
    ...(unreadable > 0 ? [`${formatCount(unreadable, 'line')} could not be read and were passed over.`] : []),
  ]
  return {
    json: {
      ...{ erased: count('erased'), already: count('is erased'), not_there: count('is not there'), unreadable },
      left: left.map(({ person, became }) => ({ ...person, because: became })),
    },
    text: lines.join('\n'),
  }
}
