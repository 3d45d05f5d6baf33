import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import { LinkBase } from 'react-admin'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { webhookPath } from './paths.ts'

/** Says which webhooks nothing arrives at, to anyone who can do something about it. */
export function WebhookBanner() {
  return useMe().holds('API_MANAGE') ? <Troubles /> : null
}

function Troubles() {
  const { webhooks } = useTexts().settings
  // Where this cannot be loaded, the page below says so of itself.
  const { data = [] } = useLoaded('webhooks.troubles')
  return data.map(({ id, name, disabled_because, failing_since }) => (
    <Alert
      key={id}
      severity={disabled_because ? 'error' : 'warning'}
      variant="outlined"
      sx={{ mb: 2 }}
      action={
        <Button size="small" color="inherit" component={LinkBase} to={webhookPath(id)} aria-label={webhooks.open(name)}>
          {webhooks.look}
        </Button>
      }
    >
      {disabled_because
        ? webhooks.bannerDisabled(name)
        : failing_since
          ? webhooks.bannerFailing(name)
          : webhooks.bannerResync(name)}
    </Alert>
  ))
}
