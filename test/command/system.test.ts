import { expect, test } from 'vitest'
import { systemTrouble, thisSystem } from '#server/commands/system.ts'

const made = 'Plumbline runs on Linux with glibc (x64, arm64) and on macOS (x64, arm64), and'
const systems = [
  { on: 'Linux with glibc', system: { platform: 'linux', arch: 'x64', hasGlibc: true }, says: null },
  { on: 'Linux on ARM', system: { platform: 'linux', arch: 'arm64', hasGlibc: true }, says: null },
  { on: 'macOS', system: { platform: 'darwin', arch: 'arm64', hasGlibc: false }, says: null },
  {
    on: 'Linux with musl',
    system: { platform: 'linux', arch: 'x64', hasGlibc: false },
    says: `${made} this Linux has another C library (musl, as Alpine has): use a system such as Debian, Ubuntu or Fedora, or the container of deploy/.`,
  },
  {
    on: 'Windows',
    system: { platform: 'win32', arch: 'x64', hasGlibc: false },
    says: `${made} not on Windows: use WSL 2, or the container of deploy/.`,
  },
  {
    on: 'FreeBSD',
    system: { platform: 'freebsd', arch: 'x64', hasGlibc: false },
    says: `${made} not on freebsd: use the container of deploy/.`,
  },
  {
    on: 'a 32-bit processor',
    system: { platform: 'linux', arch: 'arm', hasGlibc: true },
    says: `${made} not on arm: use a machine with one of these processors.`,
  },
]

test.each(systems)('A start on $on says what there is to say.', ({ system, says }) => {
  expect(systemTrouble(system)).toBe(says)
})

test('Where these tests run, the service does.', () => {
  expect(systemTrouble(thisSystem())).toBe(null)
})
