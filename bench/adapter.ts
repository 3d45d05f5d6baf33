import type { Layout } from './scenario/layout.ts'
import type { WorkName } from './works.ts'

/** How a system is asked for each kind of work; one that it does not do is left out. */
export type Adapter = { readonly [work in WorkName]?: RequestFactory }

/** Called before every run of a work; may ask the system itself, for tags for instance. */
export type RequestFactory = (about: RunTarget) => MakeRequest | Promise<MakeRequest>

/** `count` is another number at every call and in every run, for what must be new; `random` is from 0 up to 1. */
export type MakeRequest = (count: number, random: () => number) => BenchRequest

export type RunTarget = {
  /** Where the system is, without a slash at the end. */
  url: string
  layout: Layout
  /** By company; the ids start at 1. */
  tokens: readonly string[]
}

export type BenchRequest = {
  method: string
  path: string
  headers?: { readonly [name: string]: string }
  body?: string
  expect: ExpectedResponse
}

/** What an answer must be; one that is not fails the run. */
export type ExpectedResponse = {
  status: number
  /** How the body begins and ends, and its least length in bytes. */
  begins?: string
  ends?: string
  bytesMin?: number
}
