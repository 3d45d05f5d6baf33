import type { Command } from 'commander'
import { personKinds } from '#registry/persons.ts'
import { Mistake } from './mistake.ts'
import { type EraseOptions, erase, eraseAgain } from './person-erase.ts'
import { exportPerson } from './person-export.ts'
import { addYes } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { addingTo, readId } from './words.ts'

const kinds = personKinds.map(({ name }) => name).join(', ')
const kindAbout = `what the person is: ${kinds}`

type EraseArguments = Partial<EraseOptions> & { from?: string[] }

export function addPerson(program: Command, context: CommandContext): void {
  const person = program.command('person').description('Export or erase the stored data of a person.')

  addingTo(person)(
    'export',
    'Write all stored data of a person as one JSON object: the record, even a deleted one, its history with all values, its papers, and the ids of the records that refer to it.',
    'workers <id> --company {company} --to worker.json',
  )
    .argument('<kind>', kindAbout, readKind)
    .argument('<id>', 'the id of the record or the account', readId('The id'))
    .option('--to <file>', 'a new file (default: the standard output)')
    .action((kind: string, id: number, options: { company: number; to?: string }) =>
      exportPerson(context, kind, id, options),
    )

  addYes(person.command('erase'))
    .description(
      'Erase a person for good: names, numbers, addresses and notes in the record, its history, and stored calls. Records that refer to it stay.',
    )
    .argument('[kind]', kindAbout, readKind)
    .argument('[id]', 'the id of the record or the account', readId('The id'))
    .option('--company <id>', 'the company', readId('--company'))
    .option('--reason <text>', 'the reason, for the history of the company; write no name into it')
    .option('--papers', 'empty papers of the books too, such as issued invoices, which stay by law otherwise', false)
    .option(
      '--from <file>',
      'erase again all persons that an erased-persons.jsonl names, after a restore; may be given several times',
      (file: string, files: string[] = []) => [...files, file],
    )
    .addHelpText(
      'after',
      `
There is no way back. On a terminal it says what refers to the person, and asks. An account must be disabled first. A
client is a person if its kind is INDIVIDUAL.

Examples:
  plumbline person erase workers <id> --company {company} --reason "asked by letter of 2 March"
  plumbline person erase --from data.old/erased-persons.jsonl`,
    )
    .action((kind: string | undefined, id: number | undefined, options: EraseArguments) => {
      const { company, reason, papers = false, from, yes } = options
      if (from) {
        if (kind !== undefined || company !== undefined)
          throw new Mistake('Give --from alone: the file names the persons.')
        return eraseAgain(context, { files: from, yes })
      }
      if (kind === undefined || id === undefined || company === undefined)
        throw new Mistake('Give the kind, the id and --company, or --from: see "plumbline person erase --help".')
      if (reason === undefined || reason.trim() === '')
        throw new Mistake('Give --reason: the history of the company keeps the reason of each erasure.')
      return erase(context, kind, id, { company, reason: reason.trim(), papers, yes })
    })
}

function readKind(word: string): string {
  if (personKinds.some(({ name }) => name === word)) return word
  throw new Mistake(`${JSON.stringify(word)} is no kind of person; there are ${kinds}.`)
}
