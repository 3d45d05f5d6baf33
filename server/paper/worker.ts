import { parentPort } from 'node:worker_threads'
import { drawPaper, type PaperJob } from './draw-paper.ts'

/** The thread that draws papers, one after the other. It answers each job with a file or with a reason. */

export type PaperAnswer = { file: Uint8Array } | { reason: string }

parentPort?.on('message', async (job: PaperJob) => {
  parentPort?.postMessage(await answerTo(job))
})

async function answerTo(job: PaperJob): Promise<PaperAnswer> {
  try {
    return { file: await drawPaper(job) }
  } catch (error) {
    return { reason: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
