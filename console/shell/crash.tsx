import Button from '@mui/material/Button'
import { LinkBase } from 'react-admin'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'

/** A mistake of ours on one page; the rest goes on. */
export function Crash() {
  const { trouble, common } = useTexts()
  return (
    <Page title={trouble.unexpected}>
      <Button variant="outlined" onClick={() => window.location.reload()}>
        {common.retry}
      </Button>
    </Page>
  )
}

export const NotFound = () => <NotFoundPage title={useTexts().trouble.notFound} />

/** A page that the account may not see, and whom to ask. */
export function Forbidden() {
  const { trouble } = useTexts()
  return <NotFoundPage title={trouble.forbidden} lead={trouble.forbiddenLead} />
}

/** Nothing but why, and the way home. */
const NotFoundPage = ({ title, lead }: { title: string; lead?: string }) => (
  <Page title={title} lead={lead}>
    <Button component={LinkBase} to="/" variant="outlined">
      {useTexts().trouble.home}
    </Button>
  </Page>
)
