import Button from '@mui/material/Button'
import { LinkBase } from 'react-admin'
import type { WebhookTrouble } from '#derive/console/responses.ts'
import { accountDisabled } from '#registry/webhooks.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import type { Texts } from '../../texts/en/index.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Note } from '../../ui/panel.tsx'
import { webhookPath } from '../paths.ts'

/** Names the webhooks at which nothing arrives, for accounts that can change that. */
export function WebhookBanner() {
  return useMe().holds('API_MANAGE') ? <Troubles /> : null
}

function Troubles() {
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
          aria-label={webhooks.open(trouble.name)}
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
  { name, disabled_because, disabled_detail, failing_since, resync_since }: WebhookTrouble,
  words: Texts['settings']['webhooks'],
): string {
  if (disabled_because === 'rights')
    return words.bannerRights(name, disabled_detail === accountDisabled ? null : disabled_detail)
  if (disabled_because) return words.bannerDisabled(name)
  if (failing_since) return words.bannerFailing(name)
  return resync_since ? words.bannerResync(name) : words.bannerUnanswered(name)
}
