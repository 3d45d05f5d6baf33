/** Paths of the checkout that a server needs, besides its packages and the built pages. The image has no others. */
export const shippedPaths: readonly string[] = [
  'package.json',
  'package-lock.json',
  'vite.config.ts',
  'LICENSE',
  'bin',
  'registry',
  'derive',
  'import',
  'sql',
  'server',
  'migrations',
  'console',
]
