import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Builds the web interface into console/dist, from which the service serves it. */
export default defineConfig({
  root: join(import.meta.dirname, 'console'),
  base: '/',
  // In Node the package needs streams of Node; for browsers it brings its own.
  resolve: { alias: { 'csv-parse': 'csv-parse/browser/esm' } },
  plugins: [react(), checksWithoutEvaluation()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // The builder of the service makes licences.txt of it.
    license: { fileName: 'licences.json' },
    // A page of this service loads from this service: nothing is inlined, so the policy needs no data: script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
})

/**
 * TypeBox tries `new Function` once, to see whether it may. Under our policy it may not, and the browser would report
 * the attempt; without it the checks are interpreted, as they would be anyway.
 */
function checksWithoutEvaluation(): Plugin {
  return {
    name: 'checks-without-evaluation',
    transform(code, id) {
      if (!id.endsWith('typebox/build/system/environment/evaluate.mjs')) return null
      const without = code.replace(
        'return new (globalThis.Function)(...args);',
        "throw new Error('not here', { cause: args });",
      )
      if (without === code) throw new Error('TypeBox evaluates in another way than this build knows')
      return { code: without, map: null }
    },
  }
}
