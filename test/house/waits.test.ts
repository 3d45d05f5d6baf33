import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { atMost, eachWithin, ends, eventOf, inTime, pour, TimeOver, waitFor, waitWithin } from '#server/wait/wait.ts'
import { linesWith, sourceFiles, textOf } from './sources.ts'

/** No wait of the service is without an end: one module waits, and the others give it a limit or name the end. */

const module = 'server/wait/wait.ts'
const elsewhere = (lines: readonly string[]): string[] => lines.filter((line) => !line.startsWith(`${module}:`))

test('One module creates promises of events, and so asks for the end of each: no other file of the service creates one.', () => {
  const raw = /\bnew Promise\b|\bPromise\.(withResolvers|race|any)\b|\bAbortSignal\.timeout\b/
  expect(linesWith(module, raw)).not.toEqual([])
  expect(elsewhere(linesWith('server/', raw))).toEqual([])
  // The imports of node:events and of the promises of streams are in .dependency-cruiser.cjs.
  expect(readFileSync(join(import.meta.dirname, '../../.dependency-cruiser.cjs'), 'utf8')).toContain("name: 'waits'")
})

/** Loops over what comes piece by piece, each with the end of its waits. */
const loops: { readonly [file: string]: string } = {
  'server/backup/export-company.ts': 'pages of a snapshot of the database, for a command that a person stops',
  'server/backup/import-company.ts': 'an archive, for a command that a person stops',
  'server/backup/read-backup.ts': 'an archive, for a command that a person stops',
  'server/backup/tar.ts': 'an archive that a command reads, and contents whose parts are poured with a limit',
  'server/backup/write-backup.ts': 'the copy of PostgreSQL, whose parts have a limit',
  'server/commands/audit.ts': 'pages of the database',
  'server/commands/changes.ts': 'pages of the database',
  'server/commands/export-records.ts': 'pages of the database',
  'server/commands/listen.ts': 'pages of the database',
  'server/commands/stdin.ts': 'what a person types, or a program pipes',
  'server/http/send.ts': 'eachWithin',
  'server/outbound/sender.ts': 'eachWithin',
  'server/paper/draw-paper.ts': 'eachWithin',
  'server/service/audit.ts': 'pages of the database',
  'server/service/export-books.ts': 'pages of the database',
  'server/service/export-records.ts': 'pages of the database',
  'server/service/export-week.ts': 'pages of the database',
  'server/service/rotate-keys.ts': 'pages of the database',
}

test('A loop over pieces has a limit for each, or is one of those whose pieces end otherwise.', () => {
  const found = elsewhere(linesWith('server/', /\bfor await\b/)).map((line) => [line.slice(0, line.indexOf(':')), line])
  expect([...new Set(found.map(([file]) => file))].toSorted()).toEqual(Object.keys(loops).toSorted())
  const limited = found.filter(([file]) => loops[file as string] === 'eachWithin')
  expect(limited.filter(([, line]) => !line?.includes('eachWithin'))).toEqual([])
})

test('Each named end is used, and the page of the decision has it.', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/decisions/waits.md'), 'utf8')
  const users = sourceFiles.filter((file) => file.startsWith('server/') && file !== module)
  for (const end of Object.keys(ends)) {
    expect(page).toContain(`| ${end} |`)
    expect(users.filter((file) => textOf(file).includes(`'${end}'`)).length, end).toBeGreaterThan(0)
  }
})

describe('A wait', () => {
  const limit = { ms: 60, of: 'a test' }
  const never = new Promise<string>(() => undefined)
  const hanging = async function* (): AsyncGenerator<string> {
    yield 'one'
    await never
  }

  test('ends at its limit with the reason, and ends its work, whatever it waits for.', async () => {
    let isEnded = false
    const work = waitFor(limit, () => () => {
      isEnded = true
    })
    await expect(work).rejects.toThrow('a test took longer than 0.06 s')
    expect(isEnded).toBe(true)
    await expect(waitWithin(limit, never)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(await atMost(limit.ms, never)).toBe(undefined)
    await expect(eventOf(limit, new PassThrough(), 'close')).rejects.toThrow(TimeOver)
  })

  test('gives the result or the error that comes in time, and leaves no timer or listener.', async () => {
    expect(await waitWithin(limit, Promise.resolve('came'))).toBe('came')
    await expect(waitWithin(limit, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    await expect(
      waitFor(limit, () => {
        throw new Error('not begun')
      }),
    ).rejects.toThrow('not begun')
    const stream = new PassThrough()
    const closed = eventOf(limit, stream, 'close')
    stream.destroy()
    await closed
    expect(stream.listenerCount('close') + stream.listenerCount('error')).toBe(0)
    const failed = eventOf(limit, stream, 'open')
    stream.emit('error', new Error('refused'))
    await expect(failed).rejects.toThrow('refused')
    expect(stream.listenerCount('open') + stream.listenerCount('error')).toBe(0)
  })

  test('of a job ends with the job’s time, or with the signal that it was given, and keeps what came before.', async () => {
    const came = await inTime(limit, async (time) => {
      const pieces: string[] = []
      try {
        for await (const piece of eachWithin(time, hanging())) pieces.push(piece)
      } catch (error) {
        expect(error).toBeInstanceOf(TimeOver)
      }
      await expect(waitWithin(time, never)).rejects.toThrow(TimeOver)
      return pieces
    })
    expect(came).toEqual(['one'])
    const stopping = new AbortController()
    const stopped = inTime({ ms: 60_000, of: 'a test' }, (time) => waitWithin(time, never), stopping.signal)
    stopping.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    await expect(inTime(limit, (time) => waitWithin(time, never), stopping.signal)).rejects.toThrow('stopped')
  })

  test('for pieces begins anew with each, and ends when one does not come.', async () => {
    const steady = async function* (): AsyncGenerator<string> {
      for (let count = 0; count < 6; count++) {
        await new Promise((resolve) => setTimeout(resolve, limit.ms / 3))
        yield 'x'
      }
    }
    const into = new PassThrough()
    // By a clock of the test: a busy machine is late with a timer by more than the limit.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const poured = pour(limit, [steady(), into])
      for (let count = 0; count < 6; count++) await vi.advanceTimersByTimeAsync(limit.ms / 3)
      await poured
    } finally {
      vi.useRealTimers()
    }
    expect(into.read().toString()).toBe('xxxxxx')
    await expect(pour(limit, [hanging(), new PassThrough()])).rejects.toThrow(TimeOver)
    const source = new PassThrough()
    source.write('one')
    const read = async (): Promise<void> => {
      for await (const _ of eachWithin(limit, source)) {
        // The next.
      }
    }
    await expect(read()).rejects.toThrow(TimeOver)
    expect(source.destroyed).toBe(true)
  })
})
