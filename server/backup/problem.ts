/** A backup cannot be made, or is not what it should be: one sentence that names what is wrong and says what to do. */
export class BackupProblem extends Error {
  override name = 'BackupProblem'
}
