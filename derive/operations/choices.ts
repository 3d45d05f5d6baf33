import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import { idMax, pageSizeDefault, pageSizeMax } from '#registry/limits.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { exampleId, recordExample } from '../examples.ts'
import { listParameters } from '../parameters.ts'
import { readChoosing } from '../query.ts'
import { answerSchema, idSchema, integer, listSchema, refTo } from '../schemas/envelopes.ts'
import { aOne, formatName } from '../words.ts'
import { inCollection } from './collection.ts'
import type { ReferenceOperation } from './operation.ts'
import { collectionPath, commonFacts, readHeaders, refusalOf } from './record.ts'

/** Lists the possible values of a field that refers to a resource without routes. */
export const choices: ReferenceOperation = (definition, field, base) => {
  const to = chosenFrom(definition, field)
  return {
    ...commonFacts(definition, 'VIEW'),
    section: {
      name: 'Choices',
      about: 'What fields can be that refer to something without routes of its own.',
    },
    field,
    method: 'GET',
    path: choicesPath(definition, field, base),
    summary: `List what ${field} of ${aOne(definition)} can be`,
    description: [
      `Lists the ${formatName(to.name)} whose id \`${field}\` can be, by id and title, in the order of their ids. ${pageSizeDefault} come on a page, and \`Link\` leads to the next one.`,
    ],
    parameters: listParameters(to).filter(({ name }) => choosing.includes(name)),
    refusals: ['precondition_failed'],
    refused: { invalid_parameter: () => refusalOf(() => readChoosing(new Map([['limit', '0']]))) },
    answer: {
      description: `Up to a page of ${formatName(to.name)}, and how many match in all.`,
      headers: [...readHeaders, 'Links'],
      schema: 'ChoicePage',
      examples: {
        first_page: {
          summary: 'All of them',
          description: 'They fit on one page.',
          value: {
            data: [{ id: exampleId, title: recordExample(to)[to.title] as string }],
            meta: { total: 1, limit: pageSizeDefault },
          },
        },
      },
    },
    schemas: {
      ChoicePage: answerSchema('A page of records that a field can refer to.', {
        data: listSchema(refTo('Choice'), pageSizeMax, 'The records of this page.'),
        meta: refTo('ChoicesMeta'),
      }),
      Choice: answerSchema('A record that a field can refer to.', {
        id: { ...idSchema, description: 'Its id, which is the value of the field.' },
        title: { type: 'string', maxLength: 200, description: 'What it is called.' },
      }),
      ChoicesMeta: answerSchema('How many there are.', {
        total: integer('int64', 0, idMax, 'How many match, on all pages together.'),
        limit: integer('int32', 1, pageSizeMax, 'The page size that was used.'),
      }),
    },
    collection: inCollection('uses', {
      title: 'Each has an id and a title',
      checks: ["for (const each of data) pm.expect(each).to.have.all.keys('id', 'title')"],
    }),
  }
}

/** Those of the list parameters that it accepts. */
const choosing = ['limit', 'after_id', 'q']

export const choicesPath = (definition: Definition, field: string, base = '/v1'): string =>
  `${collectionPath(definition, `${base}/choices`)}/${field}`

/** Returns the fields of a resource that refer to one without routes. */
export const chosenFields = ({ fields }: Definition): string[] =>
  Object.entries(fields)
    .filter(([, field]) => {
      const reference = referenceOf(field)
      return reference && !definitionOf(registry, reference.to)?.served
    })
    .map(([name]) => name)

export const chosenFrom = ({ fields }: Definition, field: string): Definition =>
  definitionOf(registry, (fields[field] as ReferenceField).to) as Definition
