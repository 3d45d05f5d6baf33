import type { DataRoute } from '#derive/routes.ts'
import type { Share } from '../fair/shares.ts'
import type { Body } from '../protocol/body.ts'
import type { Watermark } from '../service/change-watch.ts'
import type { Rate } from '../service/token-rate.ts'

/** A call as it was received, independent of any framework. */
export type Call = {
  route: DataRoute
  path: string
  /** The parameters of the path, not decoded further or checked. */
  params: PathParams
  /** The part after the question mark. */
  query: string
  /** Names and values in turn; repeated headers are kept apart. */
  rawHeaders: readonly string[]
  body: Body
  /** The address of the TCP peer; undefined if the socket has none. */
  peer: string | undefined
  /** The share of the service that it uses. */
  share: Share
  /** The remaining calls of its token, once it is counted; undefined without a limit. */
  rate?: Rate
  requestId: string
  /** The address of the page that explains its refusals. */
  errorsPage: string
  /** The time of the app's clock at the start, in milliseconds. */
  startedAt: number
  /** The agent that calls by a tool of /mcp: its name as it states it, and the preview that it applies. */
  agent?: { client: string | null; preview?: string }
}

/**
 * Waits at most `milliseconds` for a change of the company that is not in `seen`. Meanwhile the call uses no slot.
 * Resolves to whether to wait on if there is none yet: false while the service stops.
 */
export type Wait = (companyId: number, seen: Watermark, milliseconds: number) => Promise<boolean>

export type PathParams = { readonly [name: string]: string | undefined }

/** A response, independent of any framework. */
export type ApiResponse = { status: number; headers: { readonly [name: string]: string }; body: string }
