/** Where a process runs, as far as it decides whether the service can. Tests bring their own. */
export type System = { platform: string; arch: string; hasGlibc: boolean }

export function thisSystem(): System {
  const { platform, arch } = process
  return { platform, arch, hasGlibc: platform === 'linux' && glibcVersion() !== undefined }
}

/** What is wrong with the system and what to do, or null on one that the service is made for. */
export function systemTrouble({ platform, arch, hasGlibc }: System): string | null {
  const made = `Plumbline runs on Linux with glibc (x64, arm64) and on macOS (x64, arm64), and`
  if (platform === 'win32') return `${made} not on Windows: use WSL 2, or the container of deploy/.`
  if (platform !== 'linux' && platform !== 'darwin') return `${made} not on ${platform}: use the container of deploy/.`
  if (arch !== 'x64' && arch !== 'arm64') return `${made} not on ${arch}: use a machine with one of these processors.`
  if (platform === 'linux' && !hasGlibc)
    return `${made} this Linux has another C library (musl, as Alpine has): use a system such as Debian, Ubuntu or Fedora, or the container of deploy/.`
  return null
}

/** Node's own report says by which glibc it runs; by another library it says nothing. */
function glibcVersion(): string | undefined {
  // Else it would look up names of the network's peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime
}
