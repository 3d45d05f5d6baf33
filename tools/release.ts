import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * `npm run release -- 0.3.0` does all steps of a release that a program can do, from a clean checkout whose tests
 * passed. `--dry-run` only prints the steps. Nothing is pushed.
 */
const root = join(import.meta.dirname, '..')

export type Step = { says: string; run(): void }

/** Returns the steps in their order. Throws if the version, the changelog or the checkout does not allow a release. */
export function listSteps(version: string, day: string): Step[] {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is no version: name one like 0.3.0.`)
  const { version: present } = JSON.parse(read('package.json')) as { version: string }
  if (!isLater(version, present)) throw new Error(`${version} does not come after ${present}, the present version.`)
  const changelog = read('CHANGELOG.md')
  if (!changelog.includes('\n## Unreleased\n'))
    throw new Error('CHANGELOG.md has no heading "Unreleased" with what is new.')
  if (git('status', '--porcelain') !== '') throw new Error('The checkout has changes: commit them, or put them away.')
  return [
    {
      says: `Write ${version} into package.json, its lockfile, clients/typescript/package.json and deploy/compose.yaml.`,
      run() {
        npm('version', version, '--no-git-tag-version', '--ignore-scripts')
        npm('version', version, '--no-git-tag-version', '--ignore-scripts', '--prefix', 'clients/typescript')
        replaceText('deploy/compose.yaml', `image: plumbline:${present}`, `image: plumbline:${version}`)
      },
    },
    {
      says: `Head what is unreleased in CHANGELOG.md with "${version} — ${day}", and in registry/changes.ts with ${version}.`,
      run() {
        replaceText('CHANGELOG.md', '\n## Unreleased\n', `\n## ${version} — ${day}\n`)
        const unreleased = "version: 'Unreleased'"
        if (read('registry/changes.ts').includes(unreleased))
          replaceText('registry/changes.ts', unreleased, `version: '${version}'`)
      },
    },
    {
      says: 'Write docs/third-party.md and plumbline-sbom.json.',
      run() {
        npm('run', 'build')
        npm('run', 'third-party')
        writeFileSync(join(root, 'plumbline-sbom.json'), npm('run', '--silent', 'sbom'))
      },
    },
    {
      says: 'Pack the raw figures whose SHA-256 a page names into plumbline-figures.tar.gz.',
      run() {
        const { files, missing } = figuresOfPages()
        if (files.length > 0) tar('-czf', join(root, 'plumbline-figures.tar.gz'), '-C', figuresFolder, ...files)
        for (const sum of missing) console.log(`No file in data/figures has the SHA-256 ${sum}.`)
      },
    },
    { says: 'Rewrite the documents that say the version.', run: () => npm('run', 'goldens') },
    {
      says: `Commit it, with the tag v${version}.`,
      run() {
        git('commit', '--all', '--message', `Release ${version}`)
        git('tag', `v${version}`)
      },
    },
    {
      says: `Keep a snapshot of ${version} for the tests of upgrades and its document in docs/api, in a commit of its own.`,
      run() {
        npm('run', 'snapshot', '--', '--commit', `v${version}`, '--name', version)
        // No change breaks the new document yet.
        writeFileSync(join(root, 'docs/api/allowed.json'), '[]\n')
        git('add', 'test/upgrade/snapshots', 'docs/api')
        git('commit', '--message', `Keep a snapshot of ${version} for the tests of upgrades, and its document`)
      },
    },
  ]
}

function isLater(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const differing = a.findIndex((part, place) => part !== b[place])
  return differing >= 0 && (a[differing] as number) > (b[differing] as number)
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

function replaceText(path: string, from: string, to: string): void {
  const text = read(path)
  if (!text.includes(from)) throw new Error(`${path} does not have ${JSON.stringify(from)}.`)
  writeFileSync(join(root, path), text.replace(from, to))
}

const figuresFolder = join(root, 'data/figures')

/** Returns the files of data/figures whose SHA-256 a page of docs/ names, and the sums that no file there has. */
function figuresOfPages(): { files: string[]; missing: string[] } {
  const sumOf = (name: string): string => hash('sha256', readFileSync(join(figuresFolder, name)))
  const bySum = new Map(existsSync(figuresFolder) ? readdirSync(figuresFolder).map((name) => [sumOf(name), name]) : [])
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  const sums = pages.flatMap((name) =>
    [...read(join('docs', name)).matchAll(/`([0-9a-f]{64})`/g)].map(([, sum]) => sum as string),
  )
  return {
    files: sums.flatMap((sum) => bySum.get(sum) ?? []),
    missing: sums.filter((sum) => !bySum.has(sum)),
  }
}

const tar = (...words: string[]): string => execFileSync('tar', words, { encoding: 'utf8' })
const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' })
const npm = (...words: string[]): string =>
  execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 })

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true })
  try {
    const [version, ...more] = positionals
    if (version === undefined || more.length > 0) throw new Error('Name one version: npm run release -- 0.3.0.')
    for (const { says, run } of listSteps(version, new Date().toISOString().slice(0, 10))) {
      console.log(says)
      if (!values['dry-run']) run()
    }
    console.log(values['dry-run'] ? 'Nothing was done.' : `Push it: git push --follow-tags origin HEAD v${version}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
