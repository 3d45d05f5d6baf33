import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { shippedPaths } from '../../tools/shipped-paths.ts'
import { ignored, lastStage } from './dockerfile.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { dependencies, imports } = JSON.parse(read('package.json'))
const start = 'server/commands/main.ts'
/** They build the pages where the packages for that are installed. */
const ofTheBuild = ['server/commands/console-builder.ts', 'vite.config.ts']

/** Paths of the checkout that one file imports or names, and packages that it imports. */
function namedBy(file: string): { paths: string[]; packages: string[] } {
  const text = read(file)
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
  const paths = imported.flatMap((name) => {
    if (name.startsWith('.')) return [join(dirname(file), name)]
    const alias = Object.keys(imports).find((each) => name.startsWith(each.slice(0, -1)))
    return alias ? [join(imports[alias].slice(0, -1), name.slice(alias.length - 1))] : []
  })
  const packages = imported.filter((name) => !/^[.#]|^node:/.test(name))
  return { paths: [...paths, ...beside(file, text)], packages }
}

/** Paths that stand beside `import.meta.dirname` or `import.meta.url`, and below a root that is found by it. */
function beside(file: string, text: string): string[] {
  const here = [
    ...text.matchAll(/join\(import\.meta\.dirname, '([^']+)'\)/g),
    ...text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g),
  ].map(([, path]) => join(dirname(file), `${path}`))
  const below = /const root = join\(import\.meta\.dirname, '..\/..'\)/.test(text)
    ? [...text.matchAll(/join\(root, '([^']+)'\)/g)].map(([, path]) => `${path}`)
    : []
  return [...here, ...below].filter((path) => path !== '.' && !path.startsWith('node_modules'))
}

function walk(): { reached: Set<string>; packages: Map<string, string> } {
  const reached = new Set<string>([start])
  const packages = new Map<string, string>()
  for (const file of reached) {
    if (!/\.tsx?$/.test(file) || !existsSync(join(root, file))) continue
    const named = namedBy(file)
    for (const path of named.paths) reached.add(path)
    if (ofTheBuild.includes(file)) continue
    for (const name of named.packages) packages.set(name, file)
  }
  return { reached, packages }
}

const isShipped = (path: string): boolean => shippedPaths.some((each) => path === each || path.startsWith(`${each}/`))
const { reached, packages } = walk()

test('Every file that a server loads is shipped, and every folder that is shipped is used.', () => {
  expect(reached.size).toBeGreaterThan(400)
  expect([...reached].filter((path) => !isShipped(path))).toEqual([])
  const folders = shippedPaths.filter((path) => statSync(join(root, path)).isDirectory())
  // The launcher is no module: it names the file that the walk begins at.
  expect(read('bin/plumbline')).toContain(start)
  const unused = folders.filter((folder) => folder !== 'bin' && ![...reached].some((path) => path.startsWith(folder)))
  expect(unused).toEqual([])
})

test('A package that a server loads is among those that a server is installed with.', () => {
  const nameOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/')
  expect(packages.size).toBeGreaterThan(10)
  expect([...packages].filter(([name]) => dependencies[nameOf(name)] === undefined)).toEqual([])
})

test('The image holds what is shipped, its packages and its built pages, and runs as a number.', () => {
  const { copies, user } = lastStage()
  const own = copies.filter(({ stage }) => stage === undefined)
  expect(own.flatMap(({ paths }) => paths).toSorted()).toEqual(shippedPaths.toSorted())
  expect(copies.filter(({ stage }) => stage !== undefined)).toEqual([
    { stage: 'packages', paths: ['/app/node_modules'], to: 'node_modules' },
    { stage: 'build', paths: ['/app/console/dist'], to: 'console/dist' },
  ])
  // Kubernetes cannot judge a name (runAsNonRoot).
  expect(user).toBe('10001:10001')
  expect(ignored.filter((path) => shippedPaths.includes(path))).toEqual([])
})
