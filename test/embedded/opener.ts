import { openOn } from '../../server/embedded/open.ts'
import { findMachine } from '../../server/embedded/programs.ts'

/**
 * A process of its own which opens a folder and says what happens on lines of JSON. It closes at a word on stdin.
 * Arguments: the data folder, the machine's shared folder, `stay` (until told to close) or `go` (end by itself).
 */
const [folder = '', shared = '', afterwards = 'stay'] = process.argv.slice(2)
const say = (words: object) => console.log(JSON.stringify(words))

const started = performance.now()
try {
  const { connection, how, close } = await openOn(
    { ...findMachine(), shared },
    { folder, progress: (sentence) => say({ progress: sentence }) },
  )
  say({ how, connection, ms: Math.round(performance.now() - started) })
  if (afterwards === 'stay')
    process.stdin.once('data', async () => {
      await close()
      say({ closed: true })
      process.stdin.destroy()
    })
} catch (error) {
  say({ problem: error instanceof Error ? error.message : String(error) })
}
