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
  isErased,
  NotErasable,
  type PersonRequest,
  type ReferringIds,
  readPerson,
  readReferring,
  remainsOf,
} from '../service/persons.ts'
import type { Transaction } from '../store/database.ts'
import { type ErasedPerson, keyOf, noteErased, readErased } from './erased-persons.ts'
import { Mistake } from './mistake.ts'
import { kindNamed } from './person-export.ts'
import { type ConfirmOptions, confirm, needsConfirmation } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { formatCompanyName, withExisting } from './with-app.ts'

export type EraseOptions = ConfirmOptions & { company: number; reason: string }

/** Erases one person. */
export const erase = (
  context: CommandContext,
  name: string,
  id: number,
  { company: companyId, reason, yes }: EraseOptions,
): Promise<void> =>
  withExisting(context, async ({ app }) => {
    const kind = kindNamed(name)
    const request = { companyId, kind, id }
    const { company, isDone, referring } = await app.database.transaction(async (transaction) => ({
      company: await showCompany(transaction, companyId),
      isDone: await isErasedNow(transaction, request),
      referring: await readReferring(transaction, request),
    }))
    const who = `the ${kind.one} ${id} of ${formatCompanyName(company)}`
    const about = { company_id: companyId, kind: name, id }
    if (isDone)
      return context.say({
        json: { ...about, erased: false, mentioned_in: [] },
        text: `Nothing to do: ${who} is erased already.`,
      })
    if (needsConfirmation(context, { yes })) await confirm(context, formatErasure(who, referring))
    const mentions = await eraseNow(app, { ...request, reason })
    const text = [
      `Erased ${who}.`,
      ...mentions.map(mentionLine),
      ...(mentions.length > 0 ? [mentionsAdvice] : []),
      after,
    ]
    context.say({ json: { ...about, erased: true, mentioned_in: mentions }, text: text.join('\n') })
  })

const after =
  'Earlier backups still contain the person: keep erased-persons.jsonl, and erase again after a restore ("plumbline person erase --from").'
const mentionsAdvice =
  'These records were not changed: check whether the value means the person, and change them if it does.'

const mentionLine = ({ records, ids }: Mention): string =>
  `A former value is in ${formatName(records)} ${ids.join(', ')}${ids.length === mentionedMax ? ' and perhaps more' : ''}.`

/** Returns whether a person is erased. Throws if there is no such person, or if it cannot be erased at present. */
async function isErasedNow(transaction: Transaction, request: PersonRequest): Promise<boolean> {
  const person = await readPerson(transaction, request, false)
  const isDone = isErased(remainsOf(person))
  if (!isDone) refuseActive(person)
  return isDone
}

function formatErasure(who: string, referring: readonly ReferringIds[]): string {
  const counts = referring.map(({ records, field, ids }) => `${formatName(records)} (${field}): ${ids.length}`)
  const refers =
    counts.length === 0
      ? 'No record refers to it.'
      : `These refer to it and stay, without its name: ${counts.join('; ')}.`
  return `This erases ${who} for good. ${refers}
What the law makes a company keep, such as name and address on an issued invoice, is for you to decide before: nothing
else keeps them. A program that writes the person again, as an upsert every night does, brings the name back: stop it first.`
}

/** Erases a person, with the line of the file before the commit. Returns the records that still mention the person. */
async function eraseNow(app: App, request: PersonRequest & { reason: string }): Promise<Mention[]> {
  const { companyId, kind, id } = request
  await emptyKept(app.database, companyId)
  const erasure = await app.database.transaction(async (transaction) => {
    const done = await erasePerson(transaction, operator(companyId), request)
    const line = { company: companyId, kind: kind.name, id, at: systemClock.now().toISOString() }
    if (done.isDone) await noteErased(app.config, [line])
    return done
  })
  return findMentions(app.database, companyId, erasure)
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
    for (const person of read.persons) all.set(keyOf(person), person)
    unreadable += read.unreadable
  }
  return { persons: [...all.values()], unreadable }
}

const requestOf = ({ company, kind, id }: ErasedPerson): PersonRequest => ({
  companyId: company,
  kind: kindNamed(kind),
  id,
})

/** Returns the state of a person in the file, or the reason if the person cannot be erased at present. */
export async function stateOf({ database }: Pick<App, 'database'>, person: ErasedPerson): Promise<string> {
  if (!personKinds.some(({ name }) => name === person.kind)) return 'is not there'
  try {
    const isDone = await database.transaction((transaction) => isErasedNow(transaction, requestOf(person)))
    return isDone ? 'is erased' : 'is to be erased'
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
