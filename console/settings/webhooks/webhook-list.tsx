import { mdiPlus } from '@mdi/js'
import Button from '@mui/material/Button'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useLocation } from 'ra-core'
import { useState } from 'react'
import { useLoaded } from '../../client/use-loaded.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PlainList, RowStack } from '../../ui/layout.tsx'
import { Empty, ListRow } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { NewToken } from '../api/new-token.tsx'
import { webhookPath } from '../paths.ts'
import { WebhookDialog } from './webhook-dialog.tsx'
import { WebhookState, WebhookView } from './webhook-view.tsx'

/** Lists the webhooks with their states. */
export function WebhookList() {
  const { webhooks, sections } = useTexts().settings
  const { data, error, reload } = useLoaded('webhooks.list')
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  if (error || !data) return <PendingContent error={error} retry={reload} />
  const add = (
    <Button variant="contained" startIcon={<Icon path={mdiPlus} />} onClick={() => setAdding(true)}>
      {webhooks.add}
    </Button>
  )
  return (
    <>
      <NewToken
        title={webhooks.secret}
        lead={webhooks.secretLead}
        token={secret}
        onClose={() => setSecret(undefined)}
      />
      {data.length === 0 ? (
        <Empty title={webhooks.none} lead={webhooks.noneLead}>
          {add}
        </Empty>
      ) : (
        <>
          <RowStack isSpread spacing={2} mb={2}>
            <Typography color="textSecondary">{webhooks.lead}</Typography>
            {add}
          </RowStack>
          <Paper>
            <PlainList aria-label={sections.webhooks}>
              {data.map((webhook) => (
                <ListRow
                  key={webhook.id}
                  title={
                    <TextLink variant="body1" to={webhookPath(webhook.id)}>
                      <Foreign text={webhook.name} />
                    </TextLink>
                  }
                  about={
                    <>
                      <Foreign text={webhook.url} /> · {webhooks.eventCount(webhook.events.length)}
                    </>
                  }
                >
                  <WebhookState webhook={webhook} />
                </ListRow>
              ))}
            </PlainList>
          </Paper>
        </>
      )}
      {isAdding && (
        <WebhookDialog
          webhook={null}
          onClose={() => setAdding(false)}
          onSaved={(made) => {
            setSecret(made)
            reload()
          }}
        />
      )}
    </>
  )
}

/** Shows the webhooks of the company, or one of them. */
export function WebhooksSection() {
  const id = Number(useLocation().pathname.split('/')[3])
  return id > 0 ? <WebhookView key={id} id={id} /> : <WebhookList />
}
