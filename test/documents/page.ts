import { fromMarkdown } from 'mdast-util-from-markdown'

/** A fenced block with the language `sh`, and the `output` block that follows it. */
export type Block = {
  line: number
  command: string
  /** The exit code that the block ends with. */
  exit: number
  /** Whether it runs in the background until the end of the page. */
  isService: boolean
  /** The reason why it is not run. */
  skip?: string
  /** The file of the tests that run it in its place. */
  by?: string
  expected?: string
}

export type Page = {
  blocks: readonly Block[]
  /** Whether the page begins with a service that has the demo companies. */
  hasDemo: boolean
}

/** Tells whether a block is run with its page. */
export const isRun = ({ skip, by }: Block): boolean => skip === undefined && by === undefined

type Node = ReturnType<typeof fromMarkdown>['children'][number]

/** Parses a page. Throws if a block has an unknown word, a skipped one no reason, or an output no command. */
export function parsePage(markdown: string): Page {
  const blocks: Block[] = []
  let hasDemo = false
  for (const { node, before } of walk(fromMarkdown(markdown))) {
    if (node.type === 'html' && node.value === '<!-- demo -->') hasDemo = true
    if (node.type !== 'code') continue
    const line = node.position?.start.line ?? 0
    if (node.lang === 'sh') {
      blocks.push({ line, command: node.value, exit: 0, isService: false, ...parseWords(node.meta ?? '', line) })
      if (node.value.includes('…') && blocks.at(-1)?.skip === undefined)
        throw new Error(`line ${line}: a command with "…" cannot be run as printed`)
    } else if (node.lang === 'output') {
      const block = blocks.at(-1)
      if (before?.type !== 'code' || before.lang !== 'sh' || block === undefined)
        throw new Error(`line ${line}: "output" follows a block of "sh"`)
      block.expected = node.value
    }
  }
  return { blocks, hasDemo }
}

/** Returns the nodes below this one, also those in lists, each with the one before it in its parent. */
function* walk(parent: { children: Node[] }): Generator<{ node: Node; before: Node | undefined }> {
  for (const [index, node] of parent.children.entries()) {
    yield { node, before: parent.children[index - 1] }
    if ('children' in node) yield* walk(node)
  }
}

function parseWords(meta: string, line: number): Partial<Block> {
  const words: Partial<Block> = {}
  for (const [word, name, quoted, plain] of meta.matchAll(/([^\s=]+)(?:="([^"]*)"|=(\S*))?/g)) {
    if (word === 'service') words.isService = true
    else if (name === 'exit' && /^\d{1,3}$/.test(plain ?? '')) words.exit = Number(plain)
    else if (name === 'skip' && quoted) words.skip = quoted
    else if (name === 'by' && quoted) words.by = quoted
    else throw new Error(`line ${line}: "${word}" is no word of a block; a skipped one needs skip="the reason"`)
  }
  return words
}

/**
 * Tells whether a text is what a page expects, line by line after trimming. "…" in a line stands for any characters,
 * alone on a line for any lines. Where both sides are JSON they are compared as values.
 */
export function isExpected(expected: string, printed: string): boolean {
  const whole = [parseJson(expected), parseJson(printed)]
  if (whole[0] !== undefined && whole[1] !== undefined) return isExpectedValue(whole[0], whole[1])
  return areExpectedLines(linesOf(expected), linesOf(printed))
}

const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

function areExpectedLines(expected: readonly string[], printed: readonly string[]): boolean {
  const [line, ...rest] = expected
  if (line === undefined) return printed.length === 0
  if (line === '…') return printed.some((_, from) => areExpectedLines(rest, printed.slice(from))) || rest.length === 0
  const [first, ...others] = printed
  return first !== undefined && isExpectedLine(line, first) && areExpectedLines(rest, others)
}

function isExpectedLine(expected: string, printed: string): boolean {
  const values = [parseJson(expected), parseJson(printed)]
  if (values[0] !== undefined && values[1] !== undefined) return isExpectedValue(values[0], values[1])
  const parts = expected.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(printed)
}

function isExpectedValue(expected: unknown, printed: unknown): boolean {
  if (typeof expected === 'string')
    return (
      typeof printed === 'string' &&
      isExpectedLine(JSON.stringify(expected).slice(1, -1), JSON.stringify(printed).slice(1, -1))
    )
  if (typeof expected !== 'object' || expected === null) return expected === printed
  if (typeof printed !== 'object' || printed === null || Array.isArray(expected) !== Array.isArray(printed))
    return false
  const [names, there] = [Object.keys(expected), Object.keys(printed)]
  return (
    names.length === there.length &&
    names.every((name) => name in printed && isExpectedValue(expected[name as never], printed[name as never]))
  )
}

/** Objects and arrays only: a number or a word alone is text. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
