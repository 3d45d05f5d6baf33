import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNotify, useRedirect } from 'react-admin'
import type { Webhook } from '#derive/console/responses.ts'
import { useWrite } from '../../client/use-write.ts'
import type { Texts } from '../../texts/en/index.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Buttons } from '../../ui/layout.tsx'
import { Text } from '../../ui/panel.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'
import { PasswordDialog } from '../api/password-dialog.tsx'
import { webhooksPath } from '../paths.ts'
import { ReplayDialog } from './replay-dialog.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

type WebhookActionsProps = { webhook: Webhook; onDone(): void; onSecret(secret: string): void }

/** The buttons of a webhook. */
export function WebhookActions({ webhook, onDone, onSecret }: WebhookActionsProps) {
  const { settings, common } = useTexts()
  const { webhooks } = settings
  const { id, disabled_because, failing_since, resync_since, answers } = webhook
  const notify = useNotify()
  // Shared by all buttons, because the success of one ends the idempotency keys of the others.
  const write = useWrite()
  const redirect = useRedirect()
  const [asked, setAsked] = useState<'edit' | 'enable' | 'rotate' | 'replay' | 'delete'>()
  const close = () => setAsked(undefined)
  const say = (text: string, type: 'success' | 'warning' = 'success') => {
    notify(text, { type })
    onDone()
  }
  const test = useSmallForm(async () => {
    const { data } = await write('webhooks.test', { id })
    say(data.arrived ? webhooks.tested : webhooks.testFailed, data.arrived ? 'success' : 'warning')
  })
  const disable = useSmallForm(async () => {
    await write('webhooks.disable', { id })
    say(webhooks.disabled)
  })
  const remove = useSmallForm(async () => {
    await write('webhooks.delete', { id })
    notify(webhooks.deleted, { type: 'success' })
    redirect(webhooksPath)
  })
  const trouble = test.trouble ?? disable.trouble
  const needsHand = disabled_because !== null || failing_since !== null || resync_since !== null || answers === null
  return (
    <>
      <Buttons>
        {needsHand && (
          <Button variant="contained" onClick={() => setAsked('enable')}>
            {labelOfEnabling(webhook, webhooks)}
          </Button>
        )}
        <Button variant="outlined" loading={test.isBusy} onClick={test.submit}>
          {webhooks.test}
        </Button>
        <Button variant="outlined" onClick={() => setAsked('edit')}>
          {common.edit}
        </Button>
        <Button variant="outlined" onClick={() => setAsked('rotate')}>
          {webhooks.rotate}
        </Button>
        <Button variant="outlined" onClick={() => setAsked('replay')}>
          {webhooks.replay}
        </Button>
        {!disabled_because && (
          <Button variant="outlined" loading={disable.isBusy} onClick={disable.submit}>
            {webhooks.disable}
          </Button>
        )}
        <Button variant="outlined" color="error" onClick={() => setAsked('delete')}>
          {webhooks.delete}
        </Button>
      </Buttons>
      {trouble && (
        <Text role="alert" color="error" mt={1}>
          {trouble}
        </Text>
      )}
      {asked === 'edit' && <WebhookDialog webhook={webhook} onClose={close} onSaved={onDone} />}
      {asked === 'enable' && (
        <PasswordDialog
          title={webhooks.enableTitle}
          lead={webhooks.enableLead}
          confirm={labelOfEnabling(webhook, webhooks)}
          onClose={close}
          send={async (password) => {
            await write('webhooks.enable', { id, body: { password } })
            say(webhooks.enabled)
          }}
        />
      )}
      {asked === 'rotate' && (
        <PasswordDialog
          title={webhooks.rotateTitle}
          lead={webhooks.rotateLead}
          confirm={webhooks.rotate}
          onClose={close}
          send={async (password) => {
            onSecret((await write('webhooks.rotate', { id, body: { password } })).data.secret)
            onDone()
          }}
        />
      )}
      {asked === 'replay' && <ReplayDialog id={id} onClose={close} onDone={() => say(webhooks.replayed)} />}
      {asked === 'delete' && (
        <AskFirst
          isDangerous
          title={webhooks.deleteTitle}
          confirm={webhooks.delete}
          isBusy={remove.isBusy}
          onConfirm={remove.submit}
          onClose={close}
        >
          {remove.trouble ?? webhooks.deleteLead}
        </AskFirst>
      )}
    </>
  )
}

/** Returns the label of the button that enables, by the state of the webhook. */
function labelOfEnabling(
  { disabled_because, failing_since, resync_since }: Webhook,
  words: Texts['settings']['webhooks'],
): string {
  if (disabled_because) return words.enable
  if (failing_since) return words.tryNow
  return resync_since ? words.understood : words.takeOver
}
