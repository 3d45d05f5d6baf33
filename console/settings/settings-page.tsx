import Tab from '@mui/material/Tab'
import Tabs from '@mui/material/Tabs'
import { LinkBase, useLocation } from 'ra-core'
import { type ComponentType, Suspense } from 'react'
import { permission } from '#registry/permissions.ts'
import { useMe } from '../me/me.tsx'
import { lists } from '../shell/places.ts'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { lazily, WaitingNotice } from '../ui/pending.tsx'
import { DeadBanner, EndBanner, WebhookBanner } from './banners.tsx'

const ApiSection = lazily(async () => (await import('./api/api-section.tsx')).ApiSection)
const CallsSection = lazily(async () => (await import('./calls/calls-section.tsx')).CallsSection)
const WebhooksSection = lazily(async () => (await import('./webhooks/webhook-list.tsx')).WebhooksSection)
const AgentsSection = lazily(async () => (await import('./agents/agents-section.tsx')).AgentsSection)
const AccountsSection = lazily(async () => (await import('./accounts/accounts-section.tsx')).AccountsSection)
const CompanySection = lazily(async () => (await import('./company/company-section.tsx')).CompanySection)
const ListsSection = lazily(async () => (await import('./lists/lists-section.tsx')).ListsSection)
const AuditSection = lazily(async () => (await import('./audit/audit-section.tsx')).AuditSection)
const HistorySection = lazily(async () => (await import('./history/history-section.tsx')).HistorySection)

type SectionKey = 'api' | 'webhooks' | 'agents' | 'calls' | 'accounts' | 'company' | 'lists' | 'history' | 'audit'
/** The sections. Any one of the `rights` opens a section. */
const sections: readonly { key: SectionKey; rights: readonly string[]; Section: ComponentType }[] = [
  { key: 'api', rights: ['API_MANAGE'], Section: ApiSection },
  { key: 'webhooks', rights: ['API_MANAGE'], Section: WebhooksSection },
  { key: 'agents', rights: ['API_MANAGE'], Section: AgentsSection },
  { key: 'calls', rights: ['API_MANAGE'], Section: CallsSection },
  { key: 'accounts', rights: ['ACCOUNTS_MANAGE'], Section: AccountsSection },
  { key: 'company', rights: ['COMPANY_MANAGE'], Section: CompanySection },
  { key: 'lists', rights: lists.map(({ name }) => permission(name, 'VIEW')), Section: ListsSection },
  { key: 'history', rights: ['API_MANAGE', 'ACCOUNTS_MANAGE', 'COMPANY_MANAGE'], Section: HistorySection },
  { key: 'audit', rights: ['AUDIT_VIEW'], Section: AuditSection },
]

/** Shows the sections of Settings that the account may use. */
export function SettingsPage() {
  const { settings, shell, trouble } = useTexts()
  const { holds } = useMe()
  const { pathname } = useLocation()
  const open = sections.filter(({ rights }) => rights.some(holds))
  const [, , given] = pathname.split('/')
  // Old links name the former page of usage.
  const wanted = given === 'usage' ? 'calls' : given
  const chosen = open.find(({ key }) => key === wanted) ?? open[0]
  if (!chosen) {
    return (
      <Page title={shell.settings}>
        <Empty title={trouble.forbidden} lead={trouble.forbiddenLead} />
      </Page>
    )
  }
  return (
    <Page title={shell.settings}>
      <nav aria-label={shell.settings}>
        <Tabs value={chosen.key} role="presentation" slotProps={{ list: { role: 'presentation' } }}>
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
      </nav>
      {holds('API_MANAGE') && (
        <>
          {chosen.key !== 'webhooks' && <WebhookBanner />}
          {chosen.key === 'api' ? <DeadBanner /> : <EndBanner />}
        </>
      )}
      <Suspense fallback={<WaitingNotice />}>
        <chosen.Section />
      </Suspense>
    </Page>
  )
}
