import Box from '@mui/material/Box'
import Tab from '@mui/material/Tab'
import Tabs from '@mui/material/Tabs'
import { type ComponentType, lazy, Suspense } from 'react'
import { LinkBase, useLocation } from 'react-admin'
import { useMe } from '../me/me.tsx'
import { lists } from '../shell/places.ts'
import { useTexts } from '../texts/texts.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { WebhookBanner } from './webhooks/webhook-banner.tsx'

const ApiSection = lazy(() => import('./api/api-section.tsx').then(({ ApiSection }) => ({ default: ApiSection })))
const UsageSection = lazy(() =>
  import('./usage/usage-section.tsx').then(({ UsageSection }) => ({ default: UsageSection })),
)
const CallsSection = lazy(() =>
  import('./calls/calls-section.tsx').then(({ CallsSection }) => ({ default: CallsSection })),
)
const WebhooksSection = lazy(() =>
  import('./webhooks/webhooks-section.tsx').then(({ WebhooksSection }) => ({ default: WebhooksSection })),
)
const AccountsSection = lazy(() =>
  import('./accounts/accounts-section.tsx').then(({ AccountsSection }) => ({ default: AccountsSection })),
)
const CompanySection = lazy(() =>
  import('./company/company-section.tsx').then(({ CompanySection }) => ({ default: CompanySection })),
)
const ListsSection = lazy(() =>
  import('./lists/lists-section.tsx').then(({ ListsSection }) => ({ default: ListsSection })),
)

type SectionKey = 'api' | 'webhooks' | 'usage' | 'calls' | 'accounts' | 'company' | 'lists'
const sections: readonly { key: SectionKey; right: string | null; Section: ComponentType }[] = [
  { key: 'api', right: 'API_MANAGE', Section: ApiSection },
  { key: 'webhooks', right: 'API_MANAGE', Section: WebhooksSection },
  { key: 'usage', right: 'API_MANAGE', Section: UsageSection },
  { key: 'calls', right: 'API_MANAGE', Section: CallsSection },
  { key: 'accounts', right: 'ACCOUNTS_MANAGE', Section: AccountsSection },
  { key: 'company', right: 'COMPANY_MANAGE', Section: CompanySection },
  { key: 'lists', right: null, Section: ListsSection },
]

/** Settings, section by section; only those that the account may use. */
export function SettingsPage() {
  const { settings, trouble } = useTexts()
  const { holds, may } = useMe()
  const { pathname } = useLocation()
  const open = sections.filter(({ right }) =>
    right === null ? lists.some(({ name }) => may(name, 'VIEW')) : holds(right),
  )
  const wanted = pathname.split('/')[2]
  const chosen = open.find(({ key }) => key === wanted) ?? open[0]
  if (!chosen) {
    return (
      <Page title={settings.title}>
        <Empty title={trouble.forbidden} lead={trouble.forbiddenLead} />
      </Page>
    )
  }
  return (
    <Page title={settings.title}>
      <Box component="nav" aria-label={settings.title}>
        <Tabs
          value={chosen.key}
          variant="scrollable"
          scrollButtons="auto"
          role="presentation"
          slotProps={{ list: { role: 'presentation' } }}
          sx={{ mb: 2, borderBottom: 1, borderColor: 'divider' }}
        >
          {open.map(({ key }) => (
            <Tab
              key={key}
              value={key}
              label={settings.sections[key]}
              component={LinkBase}
              to={`/settings/${key}`}
              role="link"
              tabIndex={0}
              aria-selected={undefined}
              aria-current={key === chosen.key ? 'page' : undefined}
            />
          ))}
        </Tabs>
      </Box>
      {chosen.key !== 'webhooks' && <WebhookBanner />}
      <Suspense fallback={<Waiting />}>
        <chosen.Section />
      </Suspense>
    </Page>
  )
}
