import type { TokenCaller } from '#derive/console/answers.ts'

/** Somebody who calls: his address, and what his program says that it is. */
export const callerName = ({ peer, user_agent }: Pick<TokenCaller, 'peer' | 'user_agent'>, unknown: string): string =>
  user_agent ? `${peer ?? unknown} (${user_agent.slice(0, 60)})` : (peer ?? unknown)
