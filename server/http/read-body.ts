import type { IncomingMessage } from 'node:http'
import type { Body } from '../protocol/body.ts'
import type { Budget } from './connections.ts'
import { declaredLength, receive } from './read-bytes.ts'

/** Bytes received from any caller; more only from an authorized one. */
const strangersBytes = 64 * 1024
/** Bytes read together with the caller's row; more only after the caller is known. */
const unseenBytes = 4 * 1024

const none: Body = { bytes: Buffer.alloc(0) }

/**
 * Reads the body of a call. `isWanted` authorizes the caller, or refuses, and returns whether the call needs its body.
 * Most bodies are small and need no such query. Decisions, Bodies.
 */
export async function readBody(
  request: IncomingMessage,
  budget: Budget,
  most: number,
  isWanted: () => Promise<boolean>,
): Promise<Body> {
  const declared = declaredLength(request)
  // The refusal needs nothing of the body.
  if (declared !== undefined && declared > most) return 'too large'
  const upload = receive(request, budget, most)
  const waits = request.headers.expect !== undefined
  const isLarge = declared !== undefined && declared > strangersBytes
  const isWhole = !waits && !isLarge && (await upload.upTo(strangersBytes))
  if (isWhole && upload.bytes().length <= unseenBytes) return { bytes: upload.bytes() }
  if (!(await isWanted())) return none
  return isWhole || (await upload.upTo(most)) ? { bytes: upload.bytes() } : 'too large'
}
