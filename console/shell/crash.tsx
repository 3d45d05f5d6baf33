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

export function NotFound() {
  const { trouble } = useTexts()
  return (
    <Page title={trouble.notFound}>
      <Button component={LinkBase} to="/" variant="outlined">
        {trouble.home}
      </Button>
    </Page>
  )
}
