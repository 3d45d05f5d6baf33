import { useLocation } from 'react-admin'
import { WebhookList } from './webhook-list.tsx'
import { WebhookView } from './webhook-view.tsx'

/** The webhooks of the company, or one of them. */
export function WebhooksSection() {
  const id = Number(useLocation().pathname.split('/')[3])
  return id > 0 ? <WebhookView key={id} id={id} /> : <WebhookList />
}
