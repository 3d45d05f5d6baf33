import { useStore } from 'react-admin'
import type { DeadIntegration } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Note } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { callsAddress, tokenPath } from '../paths.ts'
import { callerName } from './callers.tsx'

/** Names the programs that still call with a refused token, to accounts that can change that. */
export function DeadBanner() {
  return useMe().holds('API_MANAGE') ? <Dead /> : null
}

function Dead() {
  // If this cannot be loaded, the page below reports it.
  const { data = [] } = useLoaded('token.dead')
  const [seen, setSeen] = useStore<string[]>('cured-integrations', [])
  return data
    .filter((dead) => !(dead.cured && seen.includes(keyOf(dead))))
    .map((dead) => (
      <DeadIntegrationLine
        key={`${dead.peer} ${keyOf(dead)}`}
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
  const calls = callsAddress({ code: 'unauthorized', token: String(token_id), ...(peer ? { peer } : {}) })
  return (
    <Note severity={cured ? 'info' : 'error'} {...(cured ? { onClose } : {})}>
      {cured ? api.cured(name) : isOld ? api.dead(...told) : api.deadDisabled(...told)}{' '}
      {!cured && isOld && <>{api.deadCure} </>}
      <TextLink underline="always" to={calls}>
        {api.deadCalls(peer ?? api.unknownAddress)}
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
