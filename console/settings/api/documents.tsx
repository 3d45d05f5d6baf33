import Link from '@mui/material/Link'
import Typography from '@mui/material/Typography'
import { useTexts } from '../../texts/texts.tsx'
import { Bullets, Code, Grow, RowStack } from '../../ui/layout.tsx'
import { MutedText, Panel } from '../../ui/panel.tsx'
import { CopyButton } from './new-token.tsx'

/** Shows the address of the API, a command to try it, and its documents. */
export function Documents({ base, curl }: { base: string; curl: string }) {
  const { api } = useTexts().settings
  return (
    <Panel title={api.documents}>
      <CopiedNotice text={base} label={api.base} />
      <CopiedNotice text={curl} label={api.curl} />
      <MutedText gutterBottom>{api.curlHint}</MutedText>
      <Bullets>
        {(
          [
            ['/v1/docs', api.docs],
            ['/v1/openapi.json', api.openapi],
            ['/v1/postman.json', api.postman],
            ['/docs/errors', api.errorsPage],
          ] as const
        ).map(([address, label]) => (
          <li key={address}>
            <Link href={address} target="_blank" rel="noopener">
              {label}
            </Link>
          </li>
        ))}
      </Bullets>
    </Panel>
  )
}

const CopiedNotice = ({ text, label }: { text: string; label: string }) => (
  <>
    <Typography variant="h3" gutterBottom>
      {label}
    </Typography>
    <RowStack spacing={1} mb={1.5}>
      <Grow basis={300}>
        <Code aria-label={label}>{text}</Code>
      </Grow>
      <CopyButton text={text} />
    </RowStack>
  </>
)
