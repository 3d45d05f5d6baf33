import { useLocation } from 'react-admin'
import { useLoaded } from '../client/use-loaded.ts'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Panel } from '../ui/panel.tsx'
import { PendingContent } from '../ui/pending.tsx'
import { PreviewPage } from './preview-page.tsx'
import { PreviewRows } from './preview-rows.tsx'

/** Shows the preview at the address, or all previews that the account may decide. */
export function AgentsPage() {
  const { pathname } = useLocation()
  const [, , id] = pathname.split('/')
  return id ? <PreviewPage key={id} id={id} /> : <PreviewList />
}

function PreviewList() {
  const { agents } = useTexts()
  const { data, error, reload } = useLoaded('agents.previews')
  const waiting = data?.filter(({ state }) => state === 'waiting') ?? []
  const others = data?.filter(({ state }) => state !== 'waiting') ?? []
  return (
    <Page title={agents.title} lead={agents.lead}>
      <PendingContent error={error} retry={reload} isThere={!!data} />
      {data?.length === 0 && <Empty title={agents.none} lead={agents.noneLead} />}
      {waiting.length > 0 && (
        <Panel title={agents.waiting}>
          <PreviewRows previews={waiting} />
        </Panel>
      )}
      {others.length > 0 && (
        <Panel title={agents.others}>
          <PreviewRows previews={others} />
        </Panel>
      )}
    </Page>
  )
}
