import Button from '@mui/material/Button'
import { LinkBase, useStore } from 'ra-core'
import type { ReactNode } from 'react'
import { accountDisabled } from '#registry/webhooks.ts'
import type { DeadIntegration, Token, TokenCaller, WebhookTrouble } from '../client/answers.ts'
import { useLoaded } from '../client/use-loaded.ts'
import type { Texts } from '../texts/en/index.ts'
import { quote } from '../texts/foreign.ts'
import { useFormat } from '../texts/format.ts'
import { rawText } from '../texts/raw-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { Note } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { callsAddress, tokenPath, webhookPath } from './paths.ts'

/** Warns that the token ends within two weeks, or has ended. */
export function EndBanner() {
  const { api } = useTexts().settings
  // If this cannot be loaded, the page below reports it.
  const { data } = useLoaded('token.fetch')
  return (
    data && (
      <EndAlert token={data}>
        <TextLink underline="always" to={tokenPath}>
          {api.deadToken}
        </TextLink>
      </EndAlert>
    )
  )
}

const noticeMilliseconds = 14 * 24 * 3600 * 1000

type EndAlertProps = { token: Pick<Token, 'expires_at'>; children?: ReactNode }

/** Warns about the end of a loaded token. */
export function EndAlert({ token: { expires_at }, children }: EndAlertProps) {
  const { api } = useTexts().settings
  const format = useFormat()
  if (!expires_at) return null
  const left = new Date(expires_at).getTime() - Date.now()
  if (left > noticeMilliseconds) return null
  const moment = format.moment(expires_at)
  return (
    <Note severity={left > 0 ? 'warning' : 'error'}>
      {left > 0 ? api.endsSoon(moment) : api.hasEnded(moment)} {children}
    </Note>
  )
}

/** Names the programs that still call with a refused token. */
export function DeadBanner() {
  // If this cannot be loaded, the page below reports it.
  const { data = [] } = useLoaded('token.dead')
  const [seen, setSeen] = useStore<string[]>('cured-integrations', [])
  return data
    .filter((dead) => !(dead.cured && seen.includes(keyOf(dead))))
    .map((dead) => (
      <DeadIntegrationLine
        key={`${String(dead.peer)} ${keyOf(dead)}`}
        dead={dead}
        onClose={() => setSeen([...seen.slice(-19), keyOf(dead)])}
      />
    ))
}

/** Returns the key of a dismissed entry. A later refusal has another key. It has no address: the browser stores it. */
const keyOf = ({ token_id, last_at }: DeadIntegration): string => `${token_id} ${last_at}`

function DeadIntegrationLine({ dead, onClose }: { dead: DeadIntegration; onClose(): void }) {
  const { api } = useTexts().settings
  const format = useFormat()
  const { peer, count, last_at, token_id, token_ended_at, cured } = dead
  const name = callerName(dead, api.unknownAddress)
  const told = [name, count, format.moment(last_at)] as const
  const isOld = token_ended_at !== null
  const calls = callsAddress({
    code: 'unauthorized',
    token: String(token_id),
    ...(peer ? { peer: rawText(peer) } : {}),
  })
  return (
    <Note severity={cured ? 'info' : 'error'} {...(cured ? { onClose } : {})}>
      {cured ? api.cured(name) : isOld ? api.dead(...told) : api.deadDisabled(...told)}{' '}
      {!cured && isOld && <>{api.deadCure} </>}
      <TextLink underline="always" to={calls}>
        {api.deadCalls(peer ? quote(peer) : api.unknownAddress)}
      </TextLink>
      {!cured && (
        <>
          {' · '}
          <TextLink underline="always" to={isOld ? tokenPath : '/settings/accounts'}>
            {isOld ? api.deadToken : api.deadAccounts}
          </TextLink>
        </>
      )}
    </Note>
  )
}

/** Names the webhooks at which nothing arrives. */
export function WebhookBanner() {
  const { webhooks } = useTexts().settings
  // If this cannot be loaded, the page below reports it.
  const { data = [] } = useLoaded('webhooks.troubles')
  return data.map((trouble) => (
    <Note
      key={trouble.id}
      severity={trouble.disabled_because ? 'error' : 'warning'}
      action={
        <Button
          size="small"
          color="inherit"
          component={LinkBase}
          to={webhookPath(trouble.id)}
          aria-label={webhooks.open(quote(trouble.name))}
        >
          {webhooks.look}
        </Button>
      }
    >
      {sentenceOf(trouble, webhooks)}
    </Note>
  ))
}

function sentenceOf(
  { name: named, disabled_because, disabled_detail, failing_since, resync_since }: WebhookTrouble,
  words: Texts['settings']['webhooks'],
): string {
  const name = quote(named)
  if (disabled_because === 'rights') {
    const detail = disabled_detail && quote(disabled_detail)
    return words.bannerRights(name, detail === accountDisabled ? null : detail)
  }
  if (disabled_because) return words.bannerDisabled(name)
  if (failing_since) return words.bannerFailing(name)
  return resync_since ? words.bannerResync(name) : words.bannerUnanswered(name)
}

/** Formats a caller: its address and its user agent. */
export const callerName = ({ peer, user_agent }: Pick<TokenCaller, 'peer' | 'user_agent'>, unknown: string): string =>
  [peer ? quote(peer) : unknown, ...(user_agent ? [`(${quote(user_agent, 60)})`] : [])].join(' ')
