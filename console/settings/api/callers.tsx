import Typography from '@mui/material/Typography'
import type { TokenCaller } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { PendingContent } from '../../ui/pending.tsx'

/** Lists the programs that use the token now, and would be refused without it. */
export function Callers() {
  const { api } = useTexts().settings
  const format = useFormat()
  const { data, error } = useLoaded('token.callers')
  return (
    <Typography component="div" gutterBottom>
      <Typography variant="h3" gutterBottom>
        {api.callingNow}
      </Typography>
      <PendingContent error={error} isThere={!!data} />
      {data?.length === 0 && <Typography color="textSecondary">{api.callingNobody}</Typography>}
      {data && data.length > 0 && (
        <Bullets aria-label={api.callingNow}>
          {data.map((caller) => (
            <li key={caller.peer}>
              {api.caller(callerName(caller, api.unknownAddress), caller.count, format.moment(caller.last_at))}
            </li>
          ))}
        </Bullets>
      )}
    </Typography>
  )
}

/** Formats a caller: its address and its user agent. */
export const callerName = ({ peer, user_agent }: Pick<TokenCaller, 'peer' | 'user_agent'>, unknown: string): string =>
  user_agent ? `${peer ?? unknown} (${user_agent.slice(0, 60)})` : (peer ?? unknown)
