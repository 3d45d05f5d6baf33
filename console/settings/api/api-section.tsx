import { useState } from 'react'
import { useLoaded } from '../../client/use-loaded.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Lead } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { Documents } from './documents.tsx'
import { IssueForm } from './issue-form.tsx'
import { NewToken } from './new-token.tsx'
import { TokenPanel } from './token-panel.tsx'

/** The company’s token, with issue, show, rotate and revoke, and the address of the API. */
export function ApiSection() {
  const { settings } = useTexts()
  const token = useLoaded('token.fetch')
  const options = useLoaded('token.options')
  const [shown, setShown] = useState<{ title: string; token: string }>()
  const error = token.error ?? options.error
  if (error || !token.answer || !options.data) return <PendingContent error={error} retry={token.reload} />
  return (
    <>
      <Lead>{settings.api.lead}</Lead>
      {shown && <NewToken lead={settings.api.issuedLead} {...shown} onClose={() => setShown(undefined)} />}
      {token.data ? (
        <TokenPanel
          token={token.data}
          onToken={(title, text) => setShown({ title, token: text })}
          onChanged={token.reload}
          onRevoked={() => {
            setShown(undefined)
            token.reload()
          }}
        />
      ) : (
        <IssueForm
          options={options.data}
          onIssued={(text) => {
            setShown({ title: settings.api.issued, token: text })
            token.reload()
          }}
        />
      )}
      <Documents base={options.data.base_url} curl={options.data.curl} />
    </>
  )
}
