import type { Command } from 'commander'
import { inLine } from '#derive/format-printable.ts'
import { eventNames, payloads } from '#registry/webhooks.ts'
import { type AttemptDetailsRow, type AttemptListRow, attemptsOf } from '#sql/system/webhook-attempts.ts'
import {
  createWebhook,
  disableOne,
  enableOne,
  findOneWebhook,
  listWebhooks,
  removeWebhook,
  replayOne,
  rotateWebhook,
  type Webhook,
  type WebhookAuthor,
} from '../service/webhooks.ts'
import { checkAddress } from '../webhooks/address.ts'
import { sendTest } from '../webhooks/delivery.ts'
import { addYes, type ConfirmOptions } from './stdin.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { type CompanyContext, type CompanyRequest, formatCompanyName, sayOf, withCompany } from './with-app.ts'
import { addingTo, readId, readList, readMoment } from './words.ts'

type Company = { company: number }
type CreateOptions = Company & { name: string; url: string; events: string[]; payload: string; unordered?: true }

const shownMax = 50
const readEvents = readList('--events', eventNames)

/** Adds webhooks list, create, test, rotate, attempts, replay, enable, disable and delete. */
export function addWebhooks(program: Command, context: CommandContext): void {
  const add = addingTo(
    program.command('webhooks').description('Manage the addresses to which a company’s changes are sent.'),
  )
  const addOne = (name: string, about: string, more = ''): Command =>
    add(name, about, `{webhook} --company {company}${more}`).argument('<id>', 'the id of the webhook', readId('The id'))
  const say = (
    asked: CompanyRequest,
    work: (inside: CompanyContext, by: WebhookAuthor) => Promise<CommandResult>,
  ): Promise<void> => sayOf(context, asked, (inside) => work(inside, byOperator(inside)))

  add('list', 'List the webhooks with their states.').action((given: Company) =>
    say(given, async ({ transaction, company }) =>
      formatWebhooks(await listWebhooks(transaction, company.id), formatCompanyName(company)),
    ),
  )

  add(
    'create',
    'Create a webhook, and print its id and its secret.',
    '--company {company} --name Ledger --url https://ledger.example.com/hooks --events projects.created,projects.updated',
  )
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--url <address>', 'the address to which changes are sent')
    .option('--events <list>', 'events separated by commas, or all', readEvents, [...eventNames])
    .option('--payload <word>', `what is sent: ${payloads.join(' or ')}`, 'full')
    .option('--unordered', 'send several events at once, and do not wait for one that fails')
    .action(({ name, url, events, payload, unordered, ...given }: CreateOptions) =>
      say(given, async ({ transaction, app }, by) => {
        await checkAddress(app.outbound, url, 'operator')
        const input = { name, url, events, payload, ordered: !unordered }
        return formatSecret(await createWebhook(transaction, by, input))
      }),
    )

  addOne(
    'test',
    'Send a test event now, and print the status and the time of the answer. The exit code is 1 if it did not arrive.',
  ).action((id: number, { company: companyId }: Company) =>
    withCompany(context, companyId, async (app) => {
      const attempt = await sendTest(app, companyId, id)
      context.say(formatTest(attempt))
      if (!attempt.arrived) context.end('failed')
    }),
  )

  addOne('rotate', 'Replace the secret. The former one signs beside it for a day.').action(
    (id: number, given: Company) =>
      say(given, async ({ transaction }, by) => formatSecret(await rotateWebhook(transaction, by, id))),
  )

  addOne('attempts', 'List the latest attempts and their answers, newest first.', ' --failed')
    .option('--failed', 'only attempts that did not arrive')
    .action((id: number, { failed, ...given }: Company & { failed?: true }) =>
      say(given, async ({ transaction, company }) => {
        await findOneWebhook(transaction, company.id, id)
        const page = { failedAlone: failed === true, limit: shownMax, offset: 0 }
        return formatAttempts(await transaction.run<AttemptListRow>(attemptsOf(company.id, id, page)))
      }),
    )

  addOne(
    'replay',
    'Send all changes since a moment again. The moment is at most CHANGES_KEPT_DAYS ago.',
    ' --from 2026-03-31T00:00:00Z',
  )
    .requiredOption('--from <moment>', 'the moment, as in 2026-03-31T12:00:00Z', readMoment('--from'))
    .action((id: number, { from, ...given }: Company & { from: Date }) =>
      say(given, async ({ transaction, app }, by) =>
        formatWebhook(await replayOne(transaction, by, id, { from, keptDays: app.config.changesKeptDays })),
      ),
    )

  addOne('enable', 'Enable the webhook. It continues at once where it stopped.').action((id: number, given: Company) =>
    say(given, async ({ transaction }, by) => formatWebhook(await enableOne(transaction, by, id))),
  )

  addOne('disable', 'Disable the webhook. Nothing is sent until it is enabled; changes wait until then.').action(
    (id: number, given: Company) =>
      say(given, async ({ transaction }, by) => formatWebhook(await disableOne(transaction, by, id))),
  )

  addYes(
    addOne('delete', 'Delete the webhook with its secret and its attempts. Nothing is sent to it any more.'),
  ).action((id: number, { company, ...yes }: Company & ConfirmOptions) => {
    const what = async ({ transaction, company }: CompanyContext) => {
      const { name, url } = await findOneWebhook(transaction, company.id, id)
      return `This deletes webhook ${id}, "${inLine(name)}", of ${formatCompanyName(company)}, with its secret and its attempts. Nothing is sent to ${inLine(url)} any more.`
    }
    return say({ company, confirmation: { yes, what } }, async ({ transaction, company }, by) => {
      await removeWebhook(transaction, by, id)
      return { json: { id, deleted: true }, text: `Deleted webhook ${id} of ${formatCompanyName(company)}.` }
    })
  })
}

const byOperator = ({ actor, app }: CompanyContext): WebhookAuthor => ({
  actor,
  keys: app.secret,
  now: app.clock.now(),
})

function facts(webhook: Webhook) {
  const { id, name, url, events, payload, ordered, disabled_because, disabled_detail } = webhook
  const { answers, failing_since, resync_since } = webhook
  return {
    ...{ id, name, url, events, payload, ordered, answers: answers && { id: answers.id, name: answers.name } },
    ...{ disabled_because, disabled_detail, failing_since, resync_since },
  }
}

const line = (webhook: Webhook): string =>
  `${webhook.id}  ${inLine(webhook.name)}  ${inLine(webhook.url)}  ${webhook.events.length} events  ${stateOf(webhook)}  answered for by ${inLine(webhook.answers?.name ?? 'the operator')}`

function stateOf({ disabled_because, disabled_detail, failing_since, resync_since }: Webhook): string {
  const detail = disabled_detail === null ? '' : `: ${disabled_detail}`
  if (disabled_because !== null) return `disabled (${reasons[disabled_because]}${detail})`
  if (failing_since !== null) return `failing since ${failing_since.toISOString()}`
  return resync_since === null ? 'well' : `the log began anew at ${resync_since.toISOString()}`
}

const reasons = {
  by_hand: 'by hand',
  gone: 'the receiver says it is gone',
  failing: 'it failed for days',
  rights: 'the account that answered for it lost a right',
}

const formatWebhooks = (webhooks: readonly Webhook[], company: string): CommandResult => ({
  json: { webhooks: webhooks.map(facts) },
  text: webhooks.length === 0 ? `${company} has no webhooks.` : webhooks.map(line).join('\n'),
})

const formatWebhook = (webhook: Webhook): CommandResult => ({ json: facts(webhook), text: line(webhook) })

const formatSecret = ({ secret, webhook }: { secret: string; webhook: Webhook }): CommandResult => ({
  json: { ...facts(webhook), secret },
  value: secret,
  text: `${line(webhook)}\n\n  ${secret}`,
})

const formatAttempts = (rows: readonly AttemptListRow[]): CommandResult => ({
  json: { attempts: rows },
  text:
    rows.length === 0
      ? 'Nothing was sent, or none of it failed.'
      : rows
          .map(({ at, event, event_id, status, detail, ms, by_hand }) =>
            [at, event, event_id, status ?? detail, `${Math.round(ms)} ms`, ...(by_hand ? ['by hand'] : [])].join('  '),
          )
          .join('\n'),
})

/** Formats the status and the time. "Settings, Webhooks" shows the answer of a receiver that refuses. */
function formatTest({ id, arrived, status, failure, detail, ms, event_id }: AttemptDetailsRow): CommandResult {
  const outcome =
    status === null ? `there was no answer (${inLine(detail ?? failure ?? 'unknown')})` : `status ${status}`
  return {
    json: { attempt_id: id, event_id, arrived, status, failure, detail, ms },
    text: `The test event ${arrived ? 'arrived' : 'did not arrive'}: ${outcome}, after ${Math.round(ms)} ms.`,
  }
}
