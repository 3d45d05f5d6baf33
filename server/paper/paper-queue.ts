import { Refusal } from '#registry/refusals.ts'
import { createSlots } from '../fair/slots.ts'
import { waitFor } from '../wait/wait.ts'
import type { PaperJob } from './draw-paper.ts'

export type PaperQueue = ReturnType<typeof openPaperQueue>

/** Papers that wait at most, and how long one waits for its turn. */
const waitingMax = 16
const turnMs = 30_000

type Waiter = { admit(): void; refuse(): void }

/**
 * Opens the queue in which a process draws papers, one at a time. Companies take turns; the newest paper of the company
 * with the most gives way to that of another.
 */
export function openPaperQueue(draw: (job: PaperJob) => Promise<Buffer>) {
  const slots = createSlots<Waiter>({ limit: 1, reserve: 0 })

  function queued(companyId: number): Promise<void> {
    if (slots.counts.waiting >= waitingMax) {
      const displaced = slots.displace(companyId)
      if (!displaced) throw createBusyRefusal()
      displaced.refuse()
    }
    return waitFor('its own timer', (resolve, reject) => {
      const settle = (act: () => void) => (): void => {
        clearTimeout(timer)
        act()
      }
      const waiter = { admit: settle(resolve), refuse: settle(() => reject(createBusyRefusal())) }
      const timer = setTimeout(() => {
        slots.remove((one) => one === waiter)
        waiter.refuse()
      }, turnMs)
      slots.wait(companyId, '', waiter)
    })
  }

  return {
    /** Draws a paper of a company in its turn. Throws if too many wait, or one has waited too long. */
    async draw(companyId: number, job: PaperJob): Promise<Buffer> {
      if (!slots.take(companyId)) await queued(companyId)
      try {
        return await draw(job)
      } finally {
        slots.leave(companyId)?.admit()
      }
    },
  }
}

const createBusyRefusal = (): Refusal => new Refusal('unavailable', { headers: { 'Retry-After': '2' } })
