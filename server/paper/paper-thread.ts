import { Worker } from 'node:worker_threads'
import { waitFor } from '../wait/wait.ts'
import type { PaperJob } from './draw-paper.ts'
import type { PaperAnswer } from './worker.ts'

/** A paper of 500 lines takes half a second. */
const limit = { ms: 20_000, of: 'a paper' }
/** A thread that needs more ends, and the process goes on. */
const heapMegabytes = 256

/**
 * Returns a function that draws one paper after the other in a thread, so that the process answers requests meanwhile. The
 * first paper starts the thread, and the next one replaces a thread that has failed.
 */
export function openPaperThread(): (job: PaperJob) => Promise<Buffer> {
  let current: Worker | undefined

  return async (job) => {
    current ??= startThread()
    const thread = current
    const answer = await waitFor<PaperAnswer>(limit, (resolve, reject) => {
      const onError = (error: Error): void => reject(error)
      const onAnswer = (answer: PaperAnswer): void => {
        thread.off('error', onError)
        resolve(answer)
      }
      thread.once('message', onAnswer).once('error', onError).postMessage(job)
    }).catch((error: unknown) => {
      current = undefined
      void thread.terminate()
      throw error
    })
    if ('reason' in answer) throw new Error(answer.reason)
    return Buffer.from(answer.file.buffer, answer.file.byteOffset, answer.file.byteLength)
  }
}

function startThread(): Worker {
  const thread = new Worker(new URL('worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  // It ends with the process.
  thread.unref()
  return thread
}
