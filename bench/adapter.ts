import type { Layout } from './scenario/layout.ts'
import type { WorkName } from './works.ts'

/** The requests of a system for each kind of work. Work that it does not support is left out. */
export type Adapter = { readonly [work in WorkName]?: RequestFactory }

/** Called before every run of a work. It may call the system itself, for ETags for instance. */
export type RequestFactory = (about: RunTarget) => MakeRequest | Promise<MakeRequest>

/** Returns a request. `count` differs at every call and in every run, for new values; `random` is from 0 up to 1. */
export type MakeRequest = (count: number, random: () => number) => BenchRequest

export type RunTarget = {
  /** The address of the system, without a slash at the end. */
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

/** The expectation of an answer. Another answer fails the run. */
export type ExpectedResponse = {
  status: number
  /** The beginning and the end of the body, and its least length in bytes. */
  begins?: string
  ends?: string
  bytesMin?: number
}
