import type { Command } from 'commander'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { readJson } from '../protocol/body.ts'
import { createRecord } from '../records/write-record.ts'
import { Mistake } from './mistake.ts'
import { readInput } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { formatCompanyName, sayOf } from './with-app.ts'
import { addingTo } from './words.ts'

const resources = registry.map(({ name }) => name).join(', ')

export function addRecord(program: Command, context: CommandContext): void {
  const record = program.command('record').description('Create records of any kind.')

  addingTo(record)('create', 'Create a record of a company, with the same checks as by the API, and print its id.', [
    `trades --company {company} --json-body '{"name":"Bricklayer"}'`,
    'projects --company {company} --json-body - < project.json',
  ])
    .argument('<kind>', `the kind of record: ${resources}`, readResource)
    .requiredOption('--json-body <json>', 'the fields as one JSON object; - reads it from the standard input')
    .action(async (definition: Definition, given: { company: number; jsonBody: string }) => {
      const body = readJson(given.jsonBody === '-' ? await readInput(context) : given.jsonBody)
      await sayOf(context, given, async ({ transaction, actor, company }) => {
        const { id } = await createRecord(transaction, actor, definition, body)
        return { json: { id }, value: id, text: `Created ${definition.one} ${id} of ${formatCompanyName(company)}.` }
      })
    })
}

function readResource(word: string): Definition {
  const definition = definitionOf(registry, word)
  if (definition) return definition
  throw new Mistake(`There is no kind of record called ${JSON.stringify(word)}; there are ${resources}.`)
}
