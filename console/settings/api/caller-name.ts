/** Somebody who calls: his address, and what his program says that it is. */
export const callerName = (
  { peer, user_agent }: { peer: string | null; user_agent: string | null },
  unknown: string,
): string => (user_agent ? `${peer ?? unknown} (${user_agent.slice(0, 60)})` : (peer ?? unknown))
