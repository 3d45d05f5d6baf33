import type { Toolkit } from './toolkit.ts'

/**
 * One attack, as data and one function: both forms of the suite run the same list, so a new attack is one entry in one of
 * the files of `attacks/`.
 */
export type Attack = {
  /** As `--only` takes it. */
  name: string
  /** What it does, in a sentence. */
  about: string
  bounds: Bounds
  /** Connections that it keeps. */
  sockets: { short: number; long: number }
  /** What the short form sends in all where request follows request; the long form sends until its time is up. */
  requests?: number
  /** Peers that it comes from; one where nothing is said. The others always come from addresses of their own. */
  peers?: number
  /** The others sign in besides: for attacks on what a sign-in waits for. */
  othersSignIn?: true
  /** Settings of the process that the attack needs. */
  settings?: { readonly [name: string]: string }
  /** What has to be there before; in the attacker's process, and before the process's memory is looked at. */
  setup?(toolkit: Toolkit): Promise<void>
  /** The attack itself, in the attacker's process, until it is over. */
  run(toolkit: Toolkit): Promise<void>
}

/** What holds besides that all others are answered, that nothing is answered 500 and that the process goes on. */
export type Bounds = {
  /** Megabytes that the process may hold beyond its quiet peak. */
  memory: Bound
  /** Kilobytes that it may answer for a request that was sent to it. */
  answered: Bound
  /** How many times longer than before the p99 of the others may be; `p99RatioMax` where nothing is said. */
  p99Ratio?: Bound
  /** Statuses that no request of this attack may be answered with. */
  never?: { statuses: readonly number[]; because: string }
}

export type Bound = { most: number; because: string }

/** What an attack is made on. It is handed to another process, so it is plain data. */
export type Ground = {
  /** Where the process is. */
  url: string
  attacker: { company: number; token: string }
  victim: { company: number; token: string; email: string; password: string; clients: readonly number[] }
}

/** What an attack came to. */
export type Outcome = {
  /** Most connections that were open at once. */
  sockets: number
  requests: number
  sentBytes: number
  answeredBytes: number
  /** Answers by their status. */
  statuses: { [status: string]: number }
}
