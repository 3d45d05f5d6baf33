/** Something that whoever runs the bench can put right; its message says how. */
export class BenchProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BenchProblem'
  }
}
