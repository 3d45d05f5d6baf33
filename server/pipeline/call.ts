import type { DataRoute } from '#derive/routes.ts'
import type { Share } from '../fair/shares.ts'
import type { Body } from '../protocol/body.ts'
import type { Watermark } from '../service/change-watch.ts'
import type { Rate } from '../service/token-rate.ts'

/** A call as it came in, free of any framework. */
export type Call = {
  route: DataRoute
  path: string
  /** The parameters of the path as they were sent. */
  params: PathParams
  /** What follows the question mark. */
  query: string
  /** Names and values in turn, nothing joined and nothing lost. */
  rawHeaders: readonly string[]
  body: Body
  /** The address of the TCP peer; undefined where the socket could not say. */
  peer: string | undefined
  /** Whose part of the service it takes. */
  share: Share
  /** What is left to its token, once it has been counted; only where there is a limit. */
  rate?: Rate
  requestId: string
  /** The address at which its refusals are explained. */
  errorsPage: string
  /** Of the app's clock, in milliseconds. */
  startedAt: number
  /** The agent that makes it by a tool of /mcp: what it says it is, and the preview that it applies. */
  agent?: { client: string | null; preview?: string }
}

/**
 * Waits for a change of the company that is not among those seen, for so long at most. Meanwhile the call has no slot among
 * those that are under way. Whether to go on waiting where there is nothing yet: not while the service is leaving.
 */
export type Wait = (companyId: number, seen: Watermark, milliseconds: number) => Promise<boolean>

export type PathParams = { readonly [name: string]: string | undefined }

/** What goes back, free of any framework. */
export type ApiResponse = { status: number; headers: { readonly [name: string]: string }; body: string }
