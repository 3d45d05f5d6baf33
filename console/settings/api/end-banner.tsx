import type { ReactNode } from 'react'
import type { Token } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Note } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { tokenPath } from '../paths.ts'

/** Warns that the token ends within two weeks, or has ended, for accounts that can change that. */
export function EndBanner() {
  return useMe().holds('API_MANAGE') ? <LoadedBanner /> : null
}

function LoadedBanner() {
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
