import Chip from '@mui/material/Chip'
import type { Webhook } from '#derive/console/responses.ts'
import type { Texts } from '../../texts/en/index.ts'
import { useTexts } from '../../texts/texts.tsx'

/** How a webhook does: a word, and a colour that repeats it. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { states } = useTexts().settings.webhooks
  const [tone, word] = stateOf(webhook, states)
  return <Chip color={tone} label={word} />
}

function stateOf(
  { disabled_because, failing_since, resync_since }: Webhook,
  words: Texts['settings']['webhooks']['states'],
) {
  if (disabled_because === 'by_hand') return ['default', words.by_hand] as const
  if (disabled_because === 'gone') return ['error', words.gone] as const
  if (disabled_because === 'failing') return ['error', words.given_up] as const
  if (disabled_because === 'rights') return ['error', words.rights] as const
  if (failing_since) return ['warning', words.failing] as const
  if (resync_since) return ['warning', words.resync] as const
  return ['success', words.well] as const
}
