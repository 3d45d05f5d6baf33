import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../embedded/folders.ts'
import { readProcessStart } from '../embedded/processes.ts'

/** The file `serve.json` in the data folder: the process that serves from the folder, and its address. */
export type ServeNote = { pid: number; started: string; url: string }

const noteIn = (dataFolder: string): string => join(dataFolder, 'serve.json')

export async function writeServeNote(dataFolder: string, url: string): Promise<void> {
  const { pid } = process
  const note: ServeNote = { pid, started: (await readProcessStart(pid)) ?? '', url }
  await replaceFile(noteIn(dataFolder), `${JSON.stringify(note)}\n`)
}

/** Removes the note, unless another process has written its own. */
export async function removeServeNote(dataFolder: string): Promise<void> {
  if ((await readNote(dataFolder))?.pid === process.pid) await rm(noteIn(dataFolder), { force: true })
}

/** Finds the service that runs on this folder. Returns undefined if there is none, or if it was killed. */
export async function findServing(dataFolder: string): Promise<ServeNote | undefined> {
  const note = await readNote(dataFolder)
  return note && (await readProcessStart(note.pid)) === note.started ? note : undefined
}

async function readNote(dataFolder: string): Promise<ServeNote | undefined> {
  try {
    const note = JSON.parse(await readFile(noteIn(dataFolder), 'utf8')) as ServeNote
    return Number.isInteger(note.pid) ? note : undefined
  } catch {
    return undefined
  }
}
