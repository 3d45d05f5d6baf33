import Button from '@mui/material/Button'
import { LinkBase } from 'react-admin'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'

/** Shown instead of a page that failed by an error of the program. The other pages still work. */
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

/** Shown instead of a page that the account may not see. */
export function Forbidden() {
  const { trouble } = useTexts()
  return <NotFoundPage title={trouble.forbidden} lead={trouble.forbiddenLead} />
}

/** Shows a reason and a link to the home page. */
const NotFoundPage = ({ title, lead }: { title: string; lead?: string }) => (
  <Page title={title} lead={lead}>
    <Button component={LinkBase} to="/" variant="outlined">
      {useTexts().trouble.home}
    </Button>
  </Page>
)
