/** Paths of the checkout that a server needs, beside its packages and the built pages. The image holds these alone. */
export const shippedPaths: readonly string[] = [
  'package.json',
  'package-lock.json',
  'vite.config.ts',
  'LICENSE',
  'bin',
  'registry',
  'derive',
  'sql',
  'server',
  'migrations',
  'console',
]
