/**
 * Tells the status of every answer in a stream that may be pipelined, by its status line alone: whoever attacks has no
 * time to read bodies. No body that the service sends has such a line in it.
 */
export function createStatusReader(found: (status: number) => void): (chunk: Buffer) => void {
  let held = ''
  return (chunk) => {
    const text = held + chunk.toString('latin1')
    let end = 0
    for (const match of text.matchAll(statusLine)) {
      end = match.index + match[0].length
      found(Number(match[1]))
    }
    held = text.slice(Math.max(end, text.length - lineLength + 1))
  }
}

const statusLine = /HTTP\/1\.1 (\d{3}) /g
const lineLength = 'HTTP/1.1 200 '.length
