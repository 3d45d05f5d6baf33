/** One change of a file: `put` takes the place of `at`, or is the whole of a new file. */
export type Edit = { file: string; at?: string; put: string }

const spareWords = "one: 'vehicle', many: 'Vehicles', add: 'New vehicle', none: 'None.', fields: {}, values: {}"
const words = (at: string, put: string): Edit[] =>
  ['en', 'de'].map((language) => ({ file: `registry/words/${language}.ts`, at, put }))

/** For each row of "Where to put a line" something made up, put where the row says. */
export const madeUp: { readonly [row: string]: readonly Edit[] } = {
  'a field': [
    {
      file: 'registry/resources/clients.ts',
      at: '  fields: {\n',
      put: "  fields: {\n    loyalty: { kind: 'choice', values: ['GOLD', 'SILVER'], about: 'How loyal the client is.' },\n",
    },
    { file: 'migrations/900_loyalty.sql', put: 'alter table clients add column loyalty text;\n' },
    { file: 'CHANGELOG.md', put: '- Clients have a loyalty.\n' },
    ...words("      credit_limit_minor: '", "      loyalty: 'Loyalty',\n      credit_limit_minor: '"),
    ...words("      PUBLIC: '", "      GOLD: 'Gold',\n      SILVER: 'Silver',\n      PUBLIC: '"),
  ],
  'a field type': [
    {
      file: 'registry/fields/percent.ts',
      put: `import { type CommonMembers, type Kind, refuse } from './kind.ts'

type PercentField = CommonMembers & { kind: 'percent' }

export const percent: Kind<PercentField> = {
  schema: () => ({ type: 'integer', format: 'int32', minimum: 0, maximum: 100 }),
  must: () => 'must be a whole number from 0 to 100',
  column: () => 'integer',
  parse: (text) => (/^\\d{1,3}$/.test(text) ? { value: Number(text) } : refuse('not_a_number', text)),
  format: (value) => String(value),
  example: () => 50,
  sortable: true,
}
`,
    },
    {
      file: 'registry/fields/index.ts',
      at: 'export const kinds = {\n',
      put: "import { percent } from './percent.ts'\n\nexport const kinds = {\n  percent,\n",
    },
    { file: 'derive/form.ts', at: "  amounts: ['money',", put: "  amounts: ['percent', 'money'," },
    {
      file: 'console/records/fields/inputs.tsx',
      at: '  decimal: NumberInput,\n',
      put: '  decimal: NumberInput,\n  percent: NumberInput,\n',
    },
    {
      file: 'registry/resources/trades.ts',
      at: '  fields: {\n',
      put: "  fields: {\n    discount_pct: { kind: 'percent', about: 'The usual discount for it.' },\n",
    },
  ],
  'a rule': [
    {
      file: 'registry/resources/trades.ts',
      at: "  search: ['name'],\n",
      put: "  rules: [({ after }) => (after.name === 'None' ? { field: 'name', code: 'not_allowed', message: 'must be a trade' } : undefined)],\n  search: ['name'],\n",
    },
  ],
  'a resource': [
    {
      file: 'registry/resources/vehicles.ts',
      put: `import { resource } from '../common.ts'

export const vehicles = resource({
  name: 'vehicles',
  one: 'vehicle',
  about: 'Something that drives.',
  title: 'name',
  served: { addOn: 'api' },
  fields: { name: { kind: 'text', max: 120, required: true, example: 'Van 3', about: 'What it is called.' } },
  search: ['name'],
  filters: [],
  removal: { instead: 'keep it', relations: [] },
})
`,
    },
    {
      file: 'registry/resources/index.ts',
      at: 'const resources = [\n',
      put: "import { vehicles } from './vehicles.ts'\n\nconst resources = [\n  vehicles,\n",
    },
    { file: 'migrations/901_vehicles.sql', put: 'create table vehicles (company_id bigint);\n' },
    ...words('  trades: {', `  vehicles: { ${spareWords} },\n  trades: {`),
  ],
  'an operation': [
    {
      file: 'derive/operations/tea.ts',
      put: `import type { DataOperation, OwnOperation } from './operation.ts'

export const tea: OwnOperation<DataOperation<'read'>> = (base) => ({
  method: 'GET',
  path: \`\${base}/tea\`,
  section: { name: 'Tea', about: 'What is in the pot.', remarks: [] },
  summary: 'Look into the pot',
  description: ['Says what is in the pot.'],
  scope: null,
  addOn: 'api',
  success: 200,
  pathParameters: [],
  parameters: [],
  body: null,
  refusals: [],
  refused: {},
  answer: {
    description: 'What is in the pot.',
    headers: ['RequestId'],
    schema: 'Tea',
    examples: { mint: { summary: 'Mint', description: 'As it is.', value: { data: { tea: 'mint' } } } },
  },
  otherAnswers: {},
  schemas: { Tea: { type: 'object', properties: { data: { type: 'object' } } } },
  collection: { turn: 'uses', requests: [{ sends: [], offers: [], title: 'It is tea', checks: [] }] },
})
`,
    },
    {
      file: 'derive/operations/index.ts',
      at: 'export const ownOperations = {',
      put: "import { tea } from './tea.ts'\n\nexport const ownOperations = { tea,",
    },
    {
      file: 'server/pipeline/handlers/tea.ts',
      put: `import { selectCaller } from '#sql/system/caller.ts'
import type { ReadHandler } from '../handler.ts'
import { createResponse } from '../response.ts'

export const tea: ReadHandler = ({ success }) => (_call, _query, { ask }) => ({
  statement: selectCaller(ask),
  reply: () => createResponse(success, { tea: 'mint' }),
})
`,
    },
    {
      file: 'server/pipeline/handlers/index.ts',
      at: 'export const handlers = {\n',
      put: "import { tea } from './tea.ts'\n\nexport const handlers = {\n  tea,\n",
    },
    { file: 'CHANGELOG.md', put: '- What is in the pot is told.\n' },
  ],
  'an operation of the web interface': [
    {
      file: 'derive/console/operations.ts',
      at: '  home: get<',
      put: "  coffee: get<{ cups: number }>()('/coffee', 'session'),\n\n  home: get<",
    },
    {
      file: 'server/console-api/coffee.ts',
      put: "import type { Handlers } from './operation-request.ts'\n\nexport const coffee = { coffee: async () => ({ data: { cups: 2 } }) } satisfies Partial<Handlers>\n",
    },
    {
      file: 'server/console-api/handlers.ts',
      at: 'export const handlers = {\n',
      put: "import { coffee } from './coffee.ts'\n\nexport const handlers = {\n  ...coffee,\n",
    },
  ],
  'a refusal': [
    {
      file: 'registry/refusals.ts',
      at: '  outcome_unknown: {',
      put: "  out_of_hours: { status: 403, title: 'The office is closed', when: 'It is night.', advice: 'Call in the morning.' },\n  outcome_unknown: {",
    },
    {
      file: 'server/service/token.ts',
      at: 'export ',
      put: "export const outOfHours = (): Refusal => new Refusal('out_of_hours')\n\nexport ",
    },
    {
      file: 'test/stage/scenarios.ts',
      at: 'readonly [code in RefusalCode]?: Scenario } = {',
      put: 'readonly [code in RefusalCode]?: Scenario } = {\n  out_of_hours: {},',
    },
  ],
  'a statement': [
    {
      file: 'sql/system/tokens.ts',
      at: 'export const activeToken',
      put: "export const countTokens = (): Statement => statement(sql`select count(*) from tokens`, 'tokens.count')\n\nexport const activeToken",
    },
    {
      file: 'bench/plans/statements/system.ts',
      at: '      activeToken(7),\n',
      put: '      activeToken(7),\n      countTokens(),\n',
    },
    {
      file: 'bench/plans/statements/system.ts',
      at: '\n/** Statements of the fixed tables. */',
      put: "import { countTokens } from '#sql/system/tokens.ts'\n\n/** Statements of the fixed tables. */",
    },
  ],
  'a command': [
    {
      file: 'server/commands/coffee.ts',
      put: `import type { Command } from 'commander'
import type { CommandContext } from './terminal.ts'

export function addCoffee(program: Command, context: CommandContext): void {
  const command = program.command('coffee').description('Show how many cups are left.')
  command.action(() => context.say({ json: { cups: 2 }, text: '2' }))
}
`,
    },
    {
      file: 'server/commands/program.ts',
      at: "  { names: ['company'],",
      put: "  { names: ['coffee'], load: async () => (await import('./coffee.ts')).addCoffee },\n  { names: ['company'],",
    },
    {
      file: 'test/command/exit-codes.test.ts',
      at: "  { words: ['usage'] },",
      put: "  { words: ['coffee'] },\n  { words: ['usage'] },",
    },
    { file: 'docs/operations.md', at: '| `usage` |', put: '| `coffee` | shows how many cups are left |\n| `usage` |' },
  ],
  'a setting': [
    {
      file: 'server/config/settings.ts',
      at: 'export const settingsByKey = {\n',
      put: "export const settingsByKey = {\n  coffeeMinutes: setting('COFFEE_MINUTES=7', wholeNumber(1, 60), 'How long a break is.'),\n",
    },
    { file: '.env.example', at: 'PORT=3000', put: 'COFFEE_MINUTES=7\nPORT=3000' },
    { file: 'docs/operations.md', put: '| COFFEE_MINUTES | 7 | How long a break is. |\n' },
  ],
  'a background job': [
    {
      file: 'server/jobs/sweep.ts',
      at: '  answers: slowly(',
      put: "  coffee: { batch: () => ({ name: 'coffee.sweep', text: '', values: [] }), batchMax: 1, everyMilliseconds: 5 },\n  answers: slowly(",
    },
  ],
  'a page': [
    { file: 'console/home/coffee-page.tsx', put: 'export const CoffeePage = () => <p>Coffee</p>\n' },
    {
      file: 'console/app.tsx',
      at: '        <Route path="/profile"',
      put: '        <Route path="/coffee" element={<CoffeePage />} />\n        <Route path="/profile"',
    },
    {
      file: 'console/app.tsx',
      at: 'import { Shell } from',
      put: "import { CoffeePage } from './home/coffee-page.tsx'\nimport { Shell } from",
    },
  ],
  'a client': [
    {
      file: 'test/document/clients/by-hand.ts',
      put: "export const listProjects = () => fetch('http://127.0.0.1:3000/v1/projects')\n",
    },
  ],
}
