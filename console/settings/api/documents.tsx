import Box from '@mui/material/Box'
import Link from '@mui/material/Link'
import Typography from '@mui/material/Typography'
import { useTexts } from '../../texts/texts.tsx'
import { Code } from '../../ui/code.tsx'
import { Muted, Panel } from '../../ui/panel.tsx'
import { CopyButton } from './new-token.tsx'

/** Where the API is, one line to try it, and its documents. */
export function Documents({ base, curl }: { base: string; curl: string }) {
  const { api } = useTexts().settings
  return (
    <Panel title={api.documents}>
      <Copied text={base} label={api.base} />
      <Copied text={curl} label={api.curl} />
      <Muted sx={{ mb: 2 }}>{api.curlHint}</Muted>
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
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
      </Box>
    </Panel>
  )
}

const Copied = ({ text, label }: { text: string; label: string }) => (
  <>
    <Typography variant="h3" sx={{ mb: 0.5 }}>
      {label}
    </Typography>
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', mb: 1.5 }}>
      <Box sx={{ flex: '1 1 300px', minWidth: 0 }}>
        <Code label={label}>{text}</Code>
      </Box>
      <CopyButton text={text} />
    </Box>
  </>
)
