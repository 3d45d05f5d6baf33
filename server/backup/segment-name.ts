/** PostgreSQL's log is cut into segments of this size, which the bundled one never changes. */
export const segmentBytes = 16 * 1024 * 1024
const segmentsInFile = 0x1_0000_0000 / segmentBytes

/** The number of the segment that a position of the log is in. */
export function segmentOf(position: string): number {
  const [high = '0', low = '0'] = position.split('/')
  return Number.parseInt(high, 16) * segmentsInFile + Math.floor(Number.parseInt(low, 16) / segmentBytes)
}

export const segmentName = (timeline: number, segment: number): string =>
  [timeline, Math.floor(segment / segmentsInFile), segment % segmentsInFile]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
