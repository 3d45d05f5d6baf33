import Button from '@mui/material/Button'
import { LinkBase } from 'react-admin'
import { useTexts } from '../texts/texts.tsx'
import { Page } from './page.tsx'

/** A page that the account may not see, and whom to ask. */
export function Forbidden() {
  const { trouble } = useTexts()
  return (
    <Page title={trouble.forbidden} lead={trouble.forbiddenLead}>
      <Button component={LinkBase} to="/" variant="outlined">
        {trouble.home}
      </Button>
    </Page>
  )
}
