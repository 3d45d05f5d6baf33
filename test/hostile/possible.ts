/**
 * Only Linux counts the most that a process ever held where others can read it, and only there every address of
 * 127.0.0.0/8 is the machine's own, so that peers can be told apart.
 */
export const isPossible = process.platform === 'linux'
