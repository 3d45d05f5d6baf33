/** Thrown for a problem that the user of the bench can solve. The message says how. */
export class BenchProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BenchProblem'
  }
}
