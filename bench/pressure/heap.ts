import { BenchProblem } from '../problem.ts'
import type { Server } from '../processes.ts'

/** The heap of another process, which was started with `--inspect`. */
export type Heap = {
  /** Returns the used megabytes after a full garbage collection. */
  megabytes(): Promise<number>
  close(): void
}

export async function openHeap({ complaints }: Server): Promise<Heap> {
  const address = /Debugger listening on (ws:\S+)/.exec(complaints())?.[1]
  if (address === undefined) throw new BenchProblem('the server does not say where its inspector listens')
  const socket = new WebSocket(address)
  const waiting = new Map<number, (result: { usedSize?: number }) => void>()
  let last = 0
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new BenchProblem('the inspector of the server cannot be reached')))
  })
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: { usedSize?: number } }
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  const ask = (method: string): Promise<{ usedSize?: number }> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      socket.send(JSON.stringify({ id: last, method }))
    })
  return {
    async megabytes() {
      await ask('HeapProfiler.collectGarbage')
      return ((await ask('Runtime.getHeapUsage')).usedSize ?? 0) / 2 ** 20
    },
    close: () => socket.close(),
  }
}
