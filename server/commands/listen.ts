import { BlockList, isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { inLine } from '#derive/format-printable.ts'
import { eventNames, type Payload, payloads } from '#registry/webhooks.ts'
import { runUntilSignal } from '../lifecycle.ts'
import { type Destination, openOutbound } from '../outbound/outbound.ts'
import { NotSentError } from '../outbound/sender.ts'
import { type Change, readChanges } from '../service/changes.ts'
import { createSecret, isSecret } from '../service/webhook-secret.ts'
import { signedHeaders } from '../webhooks/delivery.ts'
import { formatBody } from '../webhooks/message.ts'
import { followChanges } from './changes.ts'
import { Mistake } from './mistake.ts'
import type { CommandContext } from './terminal.ts'
import { formatCompanyName, withCompany } from './with-app.ts'
import { addingTo, readList } from './words.ts'

type ListenOptions = {
  company: number
  forwardTo: string
  events: string[]
  payload: Payload
  after: string
  secret?: string
}

const retryMilliseconds = [1000, 2000, 4000, 8000, 16_000, 30_000]
/** The addresses of `localhost`, independent of the machine's hosts file. */
const loopback = ['127.0.0.1', '::1']

export function addListen(program: Command, context: CommandContext): void {
  addingTo(program)(
    'listen',
    'Send the changes of a company to a program on this machine, signed and in order as a webhook sends them, until Ctrl-C. No webhook is created.',
    '--company {company} --forward-to http://localhost:8788/hooks --events projects.created',
    notes,
  )
    .requiredOption('--forward-to <url>', 'an address of this machine: localhost, 127.0.0.1 or [::1]', readLocalUrl)
    .option('--events <list>', 'events separated by commas, or all', readList('--events', eventNames), [...eventNames])
    .addOption(new Option('--payload <word>', 'what is sent').choices([...payloads]).default('full'))
    .option('--after <cursor>', 'a printed cursor, to continue after it', 'now')
    .option('--secret <secret>', 'the secret to sign with (default: a new one for this run)', readSecret)
    .action((given: ListenOptions) => runUntilSignal((stopped) => forward(context, given, stopped)))
}

const notes = `
An event that is not answered with a status from 200 to 299 is sent again under the same id, after 1, 2, 4 and so on up to 30
seconds. Each line names the cursor behind the event: --after goes on there.`

const forward = (context: CommandContext, given: ListenOptions, stopped: AbortSignal): Promise<void> =>
  withCompany(context, given.company, async ({ config, database }, company) => {
    const { forwardTo, events, payload, secret = createSecret() } = given
    // Pages of one change, because each change needs the cursor after it.
    const asked = { companyId: company.id, after: given.after, limit: 1, keptDays: config.changesKeptDays }
    const { next: cursor } = given.after === 'now' ? await readChanges(database, asked) : { next: given.after }
    context.say({
      json: { secret, forward_to: forwardTo, after: cursor },
      text: `Changes of ${formatCompanyName(company)} go to ${inLine(forwardTo)}, signed with ${secret}, from ${cursor} on.`,
    })
    const outbound = openOutbound({
      networks: ['127.0.0.0/8', '::1/128'],
      timeout: config.webhookTimeout,
      resolve: async () => loopback,
    })
    const destination = outbound.to(forwardTo)
    try {
      for await (const { changes, next } of followChanges(database, { ...asked, after: cursor }, stopped))
        for (const change of changes.filter(({ event }) => events.includes(event)))
          await sendUntilTaken(context, { change, cursor: next, payload, secret, destination, stopped })
    } finally {
      destination.close()
    }
    context.end('stopped')
  })

type ForwardRequest = {
  change: Change
  /** The cursor after the change. */
  cursor: string
  payload: Payload
  secret: string
  destination: Destination
  stopped: AbortSignal
}

/** Sends an event, with pauses, until the receiver accepts it or the command is stopped. */
async function sendUntilTaken(
  context: CommandContext,
  { change, cursor, payload, secret, destination, stopped }: ForwardRequest,
): Promise<void> {
  const body = formatBody(change, payload)
  for (let attempt = 0; !stopped.aborted; attempt++) {
    const headers = signedHeaders([secret], { id: change.id, at: new Date(), body })
    const begun = performance.now()
    const outcome = await destination.post({ headers, body, signal: stopped }).then(
      ({ status }) => ({ status, detail: null }),
      (error: unknown) => {
        if (!(error instanceof NotSentError)) throw error
        return { status: null, detail: error.particulars ?? error.message }
      },
    )
    if (stopped.aborted && outcome.status === null) return
    const { status, detail } = outcome
    const arrived = status !== null && status >= 200 && status < 300
    const ms = Math.round(performance.now() - begun)
    const { id, event } = change
    context.say({
      json: { id, event, attempt: attempt + 1, arrived, status, detail, ms, after: arrived ? cursor : null },
      text: [event, id, status ?? inLine(detail ?? ''), `${ms} ms`, ...(arrived ? [cursor] : [])].join('  '),
    })
    if (arrived) return
    const wait = retryMilliseconds[Math.min(attempt, retryMilliseconds.length - 1)]
    await pause(wait, undefined, { signal: stopped }).catch(() => undefined)
  }
}

const local = new BlockList()
local.addSubnet('127.0.0.0', 8, 'ipv4')
local.addAddress('::1', 'ipv6')

/** Parses an address. Throws if it is not of this machine, so that nothing is sent to others. */
function readLocalUrl(word: string): string {
  const url = URL.canParse(word) ? new URL(word) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isLocal = host === 'localhost' || (isIP(host) !== 0 && local.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))
  if (url && isLocal && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href
  throw new Mistake(
    `--forward-to must be an address of this machine, like http://localhost:8788/hooks, and not ${JSON.stringify(word)}; "plumbline webhooks create" sends to others.`,
  )
}

function readSecret(word: string): string {
  if (isSecret(word)) return word
  throw new Mistake('--secret must be "whsec_" with 24 to 64 bytes in base64, as the first line of a run says it.')
}
