import type { IncomingMessage } from 'node:http'
import type { Body } from '../protocol/body.ts'
import type { Budget } from './connections.ts'
import { declaredLength, receive } from './read-bytes.ts'

/** Received for anybody; more only for a caller who is authorized. */
const strangersBytes = 64 * 1024
/** Read for anybody, together with the caller; more only after him. */
const unseenBytes = 4 * 1024

const none: Body = { bytes: Buffer.alloc(0) }

/**
 * The body of a call. `isWanted` looks at the caller, who is refused there or known from then on, and says whether
 * the call gets as far as its body; most bodies are small, and are spared this query. Decisions, Bodies.
 */
export async function readBody(
  request: IncomingMessage,
  budget: Budget,
  most: number,
  isWanted: () => Promise<boolean>,
): Promise<Body> {
  const declared = declaredLength(request)
  // Nothing of it is needed for its refusal.
  if (declared !== undefined && declared > most) return 'too large'
  const upload = receive(request, budget, most)
  const waits = request.headers.expect !== undefined
  const isLarge = declared !== undefined && declared > strangersBytes
  const isWhole = !waits && !isLarge && (await upload.upTo(strangersBytes))
  if (isWhole && upload.bytes().length <= unseenBytes) return { bytes: upload.bytes() }
  if (!(await isWanted())) return none
  return isWhole || (await upload.upTo(most)) ? { bytes: upload.bytes() } : 'too large'
}
