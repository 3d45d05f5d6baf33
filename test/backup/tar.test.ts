import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTar, type Writer, writeTar } from '#server/backup/tar.ts'
import { notTried, openSmallDisk, type SmallDisk } from '../stage/small-disk.ts'

let disk: SmallDisk | null
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-tar-'))
  disk = openSmallDisk(1)
  if (!disk) notTried('an archive on a full disk')
})
afterAll(async () => {
  disk?.remove()
  await rm(folder, { recursive: true })
})

const piece = Buffer.alloc(64 * 1024, 1)

/** Pieces of an archive; after `pieces` of them it is silent, or fails. Says whether it was ended. */
function source(pieces: number, end: 'ends' | 'is silent' | 'fails' = 'ends') {
  const state = { ended: false }
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      for (let index = 0; index < pieces; index++) yield piece
      if (end === 'fails') throw new Error('the source broke')
      if (end === 'is silent') await new Promise(() => undefined)
    } finally {
      state.ended = true
    }
  }
  return { content: content(), state }
}

const bytesOf = (pieces: number): number => pieces * piece.length

/** Every later call has the same failure: none of them waits. */
async function expectFailed(writer: Writer, error: object): Promise<void> {
  await expect(writer.file('later', piece.length, [piece])).rejects.toMatchObject(error)
  await expect(writer.folder('later')).rejects.toMatchObject(error)
  await expect(writer.end()).rejects.toMatchObject(error)
  await writer.destroy()
}

describe('An archive', () => {
  test('on a full disk fails with the error of the file, and ends its source.', async ({ skip }) => {
    if (!disk) return skip()
    const { content, state } = source(1000)
    const writer = writeTar(join(disk.folder, 'full.tar'))
    await writer.folder('a')
    await expect(writer.file('a/b', bytesOf(1000), content)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(state.ended).toBe(true)
    await expectFailed(writer, { code: 'ENOSPC' })
    await rm(join(disk.folder, 'full.tar'))
  })

  test('on a full disk fails while its source is silent.', async ({ skip }) => {
    if (!disk) return skip()
    // All of the disk and a little more, which the streams hold: nothing else comes, and no drain.
    const { content } = source(17, 'is silent')
    const writer = writeTar(join(disk.folder, 'silent.tar'))
    await expect(writer.file('a', bytesOf(1000), content)).rejects.toMatchObject({ code: 'ENOSPC' })
    await expectFailed(writer, { code: 'ENOSPC' })
    await rm(join(disk.folder, 'silent.tar'))
  })

  test.each([
    ['whose folder is missing', () => join(folder, 'nowhere', 'x.tar'), 'ENOENT'],
    ['whose folder is a file', () => join(folder, 'file', 'x.tar'), 'ENOTDIR'],
    ['whose name is taken', () => join(folder, 'file'), 'EEXIST'],
  ])('%s fails with the error of the file.', async (_, path, code) => {
    await writeFile(join(folder, 'file'), 'something')
    const writer = writeTar(path())
    await expect(writer.file('a', bytesOf(100), source(100).content)).rejects.toMatchObject({ code })
    await expectFailed(writer, { code })
  })

  test('fails with the error of its source where that breaks.', async () => {
    const writer = writeTar(join(folder, 'broken.tar'))
    await expect(writer.file('a', bytesOf(100), source(3, 'fails').content)).rejects.toThrow('the source broke')
    await expectFailed(writer, { message: 'the source broke' })
  })

  test('fails where a source is shorter or longer than its length.', async () => {
    for (const [index, pieces] of [1, 3].entries()) {
      const writer = writeTar(join(folder, `length-${index}.tar`))
      await expect(writer.file('a', bytesOf(2), source(pieces).content)).rejects.toThrow('Size mismatch')
      await writer.destroy()
    }
  })

  test('is read as it was written, by one who takes only some of it, too.', async () => {
    const path = join(folder, 'whole.tar')
    const writer = writeTar(path)
    await writer.folder('a')
    await writer.file('a/b', bytesOf(40), source(40).content)
    await writer.file('c', piece.length, [piece])
    await writer.end()
    await writer.destroy()
    const read: unknown[] = []
    for await (const { path: name, type, bytes, content } of readTar(path)) {
      if (name !== 'a/b') for await (const _ of content) break
      read.push([name, type, bytes])
    }
    expect(read.slice(0, 2)).toEqual([
      ['a', 'directory', 0],
      ['a/b', 'file', bytesOf(40)],
    ])
  })

  test('that cannot be read fails with the error of the file.', async () => {
    const read = async (): Promise<void> => {
      for await (const _ of readTar(folder)) expect.unreachable()
    }
    await expect(read()).rejects.toMatchObject({ code: 'EISDIR' })
  })
})
