/** The facts of the system that decide whether the service can run. Tests pass their own. */
export type System = { platform: string; arch: string; hasGlibc: boolean }

export function thisSystem(): System {
  const { platform, arch } = process
  return { platform, arch, hasGlibc: platform === 'linux' && glibcVersion() !== undefined }
}

/** Returns the problem of the system and the remedy, or null if the service supports it. */
export function systemTrouble({ platform, arch, hasGlibc }: System): string | null {
  const made = `Plumbline runs on Linux with glibc (x64, arm64) and on macOS (x64, arm64), and`
  if (platform === 'win32') return `${made} not on Windows: use WSL 2, or the container of deploy/.`
  if (platform !== 'linux' && platform !== 'darwin') return `${made} not on ${platform}: use the container of deploy/.`
  if (arch !== 'x64' && arch !== 'arm64') return `${made} not on ${arch}: use a machine with one of these processors.`
  if (platform === 'linux' && !hasGlibc)
    return `${made} this Linux has another C library (musl, as Alpine has): use a system such as Debian, Ubuntu or Fedora, or the container of deploy/.`
  return null
}

/** Returns the version of glibc from Node's report. Returns undefined with another C library. */
function glibcVersion(): string | undefined {
  // The report would otherwise look up the names of network peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime
}
