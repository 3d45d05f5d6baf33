import type { IncomingMessage } from 'node:http'
import { bodyBytesMax } from '#registry/limits.ts'
import type { Body } from '../walk/call.ts'

/** What is still read of a body that is too large, so that the caller gets to read the refusal. */
const patienceBytes = 16 * bodyBytesMax

/** The bytes of a body. One that is too large is read to its end, within reason, and thrown away. */
export function readBytes(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyBytesMax) chunks.push(chunk)
      else chunks.length = 0
      if (size > patienceBytes) {
        request.pause()
        resolve('too large')
      }
    })
    request.on('end', () => resolve(size > bodyBytesMax ? 'too large' : { bytes: Buffer.concat(chunks) }))
    request.on('error', reject)
    request.on('close', () => reject(new Error('the client went away')))
  })
}
