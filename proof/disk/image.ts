import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createCompany, makeFolder, type Service, startService } from '../service.ts'
import { copyFolder } from './files.ts'

/** A data folder in which nobody writes any more, of which each trial has a copy. */
export type Image = { folder: string; remove(): Promise<void> }

const imageOf = (parent: string): Image => ({
  folder: join(parent, 'data'),
  remove: () => rm(parent, { recursive: true, force: true, maxRetries: 5 }),
})

/** Makes a folder with a service that has one company, and a token for it. */
export async function prepareImage(): Promise<{ image: Image; token: string }> {
  const service = await startService()
  try {
    const { token } = await createCompany(service.give)
    await service.stop()
    return { image: await keepImage(service.data), token }
  } finally {
    await service.close()
  }
}

/** Copies what is in a data folder now. */
export async function keepImage(data: string): Promise<Image> {
  const image = imageOf(await makeFolder())
  await copyFolder(data, image.folder)
  return image
}

/** Starts a service on a copy of an image, once `damage` has been done to it. */
export async function startOn(
  image: Image,
  {
    damage = async () => {},
    settings = {},
  }: { damage?: (data: string) => Promise<void>; settings?: { [name: string]: string } } = {},
): Promise<{ service: Service; remove(): Promise<void> }> {
  const { folder, remove } = await keepImage(image.folder)
  try {
    await damage(folder)
    const service = await startService(undefined, { folder, settings })
    return {
      service,
      remove: async () => {
        await service.killAll()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
