import { type Fault, seconds } from './fault.ts'
import { type BundledTarget, recoveryMs } from './targets.ts'

const kill = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (pid === undefined) throw new Error('there is no such process')
  process.kill(pid, signal)
}

const killed = async (): Promise<void> => {}

/** What can happen to the processes of the service and of its bundled PostgreSQL. */
export const faultsOfProcesses: readonly (Fault<BundledTarget> & { isGone: boolean })[] = [
  {
    title: 'the postmaster is killed, and killed again when it is back',
    isGone: true,
    times: 2,
    isReachable: false,
    heard: [503],
    backMs: recoveryMs,
    begin: async ({ postmaster }) => {
      kill(await postmaster(), 'SIGKILL')
      return killed
    },
  },
  {
    title: 'a backend is killed',
    isGone: false,
    isReachable: false,
    heard: [503],
    backMs: recoveryMs,
    begin: async ({ serversOf }) => {
      const [backend] = await serversOf('plumbline plumbline [local]')
      kill(backend, 'SIGKILL')
      return killed
    },
  },
  {
    title: 'the checkpointer is killed',
    isGone: false,
    isReachable: false,
    heard: [503],
    backMs: recoveryMs,
    begin: async ({ serversOf }) => {
      const [checkpointer] = await serversOf('checkpointer')
      kill(checkpointer, 'SIGKILL')
      return killed
    },
  },
  {
    title: 'the postmaster stops and goes on',
    isGone: false,
    lastsMs: seconds(4),
    isReachable: false,
    heard: [503],
    backMs: recoveryMs,
    begin: async ({ postmaster }) => {
      const pid = await postmaster()
      kill(pid, 'SIGSTOP')
      return async () => kill(pid, 'SIGCONT')
    },
  },
  {
    title: 'every backend stops and goes on',
    isGone: false,
    lastsMs: seconds(6),
    isReachable: false,
    heard: [503],
    backMs: recoveryMs,
    begin: async ({ serversOf }) => {
      const backends = await serversOf('plumbline plumbline [local]')
      for (const pid of backends) kill(pid, 'SIGSTOP')
      return async () => {
        for (const pid of backends)
          try {
            kill(pid, 'SIGCONT')
          } catch {
            // Ended by the service meanwhile.
          }
      }
    },
  },
]
