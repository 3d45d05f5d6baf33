import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { stopServer } from '#server/embedded/processes.ts'
import { findFreePort } from '../../proof/free-port.ts'
import { copyPrepared } from '../command/stage.ts'
import { copyOfCheckout } from '../stage/checkout.ts'
import { passedOn } from '../stage/compile-cache.ts'
import { isRunning } from '../stage/process.ts'
import { pause } from '../stage/wait.ts'
import { type Block, isExpected, isRun, type Page, parsePage } from './page.ts'

const root = join(import.meta.dirname, '../..')
/** The address that pages print. Each run has a free port instead. */
const printedAddress = '127.0.0.1:3000'
/** For what never ends, not for what is slow. */
const blockTimeoutMs = 120_000

/**
 * Runs the commands of a page, as they are printed, in one shell, in a copy of the checkout with the built console.
 * Rejects with file, line, command, expected and printed text at the first block that does something else. The folder is
 * created and removed; where it has the name of an earlier one, Node.js has compiled the programs in it already.
 */
export async function runPage(path: string, folder: string): Promise<void> {
  const port = await findFreePort()
  const page = readPage(await readFile(join(root, path), 'utf8'), port)
  await mkdir(folder)
  // PostgreSQL, started by root, runs as another user.
  await chmod(folder, 0o711)
  const shell = await openShell(folder, port)
  try {
    if (page.hasDemo) {
      await copyPrepared('demo', join(folder, 'plumbline', 'data'))
      await shell.run({ line: 0, command: 'npm start', exit: 0, isService: true })
    }
    for (const block of page.blocks.filter(isRun)) await shell.run(block)
  } catch (error) {
    throw new Error(`${path}:${(error as Error).message}`, { cause: error })
  } finally {
    await shell.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Parses the page with the port of this run in the place of the printed one. */
const readPage = (markdown: string, port: number): Page =>
  parsePage(markdown.replaceAll(printedAddress, `127.0.0.1:${port}`))

/** What the shell reads for each block, from descriptor 3: the kind of the block and its file. Codes go to descriptor 4. */
const loop = `set -eu -o pipefail
while read -r kind file <&3; do
  case $kind in
    run) . "$file" >"$file.out" 2>&1 </dev/null 3<&- 4>&-; echo 0 >&4 ;;
    exit) set +e; (set -e; . "$file") >"$file.out" 2>&1 </dev/null 3<&- 4>&-; code=$?; set -e; echo "$code" >&4 ;;
    service) (. "$file") >"$file.out" 2>&1 </dev/null 3<&- 4>&- & echo "$!" >&4 ;;
  esac
done`

async function openShell(folder: string, port: number) {
  const environment = await createSurroundings(folder, port)
  const checkout = await copyOfCheckout(join(folder, 'plumbline'))
  await cp(join(root, 'console/dist'), join(checkout, 'console/dist'), { recursive: true })
  const child = spawn('bash', ['--noprofile', '--norc', '-c', loop], {
    cwd: checkout,
    env: environment,
    // Of a group of its own, so that its end ends what it started.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => Number(code))
  const codes = createInterface({ input: child.stdio[4] as Readable })[Symbol.asyncIterator]()
  let count = 0

  async function run(block: Block): Promise<void> {
    const file = join(folder, `block-${++count}`)
    await writeFile(file, `${block.command}\n`)
    const kind = block.isService ? 'service' : block.exit === 0 ? 'run' : 'exit'
    ;(child.stdio[3] as Writable).write(`${kind} ${file}\n`)
    // A block that fails ends the shell.
    const endless = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), blockTimeoutMs)
    const { value, done } = await codes.next().finally(() => clearTimeout(endless))
    const readPrinted = (): Promise<string> => readFile(`${file}.out`, 'utf8').catch(() => '') // A service may not have begun.
    if (block.isService) return waitForService(block, Number(value), port, readPrinted)
    const code = done ? await exited : Number(value)
    if (code !== block.exit || (block.expected !== undefined && !isExpected(block.expected, await readPrinted())))
      throw new Error(formatFailure(block, `exit ${code}`, await readPrinted()))
  }

  async function close(): Promise<void> {
    await endGroup(child, exited)
    await stopServer(join(checkout, 'data/postgres/cluster'))
  }

  return { run, close }
}

/** Waits until the service printed what the page shows, or, where it shows nothing, until it is ready. */
async function waitForService(
  block: Block,
  pid: number,
  port: number,
  readPrinted: () => Promise<string>,
): Promise<void> {
  const { expected } = block
  const isReady = async (): Promise<boolean> =>
    expected === undefined ? answersReady(port) : isExpected(expected, await readPrinted())
  const until = performance.now() + blockTimeoutMs
  while (!(await isReady())) {
    if (!isRunning(pid) || performance.now() > until)
      throw new Error(formatFailure(block, 'not ready', await readPrinted()))
    await pause(50)
  }
}

const answersReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

const formatFailure = (
  { line, command, exit, expected = '(nothing is compared)' }: Block,
  end: string,
  printed: string,
) => `${line}: ${end}, expected exit ${exit}\n${command}\n--- expected\n${expected}\n--- printed\n${printed}`

/** Ends the shell and all that it started, and waits until nothing of its group is left. */
async function endGroup(child: ChildProcess, exited: Promise<number>): Promise<void> {
  const group = -(child.pid as number)
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(group, name)
    } catch {
      return false
    }
  }
  signal('SIGTERM')
  const until = performance.now() + 20_000
  while (signal(0) && performance.now() < until) await pause(20)
  signal('SIGKILL')
  await exited
}

/** Returns the whole environment of a page. Its curl fails where an answer is 400 or more, and ends what it prints with a line. */
async function createSurroundings(folder: string, port: number): Promise<{ [name: string]: string }> {
  const [home, temporary, programs] = ['home', 'tmp', 'programs'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [home, temporary, programs]) await mkdir(each)
  await chmod(temporary, 0o1777)
  await writeFile(join(home, '.curlrc'), 'fail-with-body\nsilent\nwrite-out = "\\n"\n')
  const { PATH = '', NODE_COMPILE_CACHE = '' } = passedOn()
  // The packages are linked already.
  const npm = `#!/bin/sh\n[ "$1" = ci ] && exit\nPATH=\${PATH#*${delimiter}}\nexec npm "$@"\n`
  await writeFile(join(programs, 'npm'), npm, { mode: 0o755 })
  return {
    PATH: `${programs}${delimiter}${PATH}`,
    HOME: home,
    TMPDIR: temporary,
    PORT: String(port),
    npm_config_update_notifier: 'false',
    ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
  }
}
