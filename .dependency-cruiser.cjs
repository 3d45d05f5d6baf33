/**
 * Who may import what: `npm run check` refuses any other import, with the reason. The map is in ARCHITECTURE.md. Rules about
 * the text of files, such as where SQL is written, are in test/house/layers.test.ts.
 */

/** @param {string[]} names names of packages, or the start of a scope */
const packages = (...names) => names.map((name) => `^node_modules/(@types/)?${name}/`)
const node = (...names) => names.map((name) => `^(node:)?${name}$`)
const folders = (...names) => names.map((name) => `^${name}/`)
const servers = (...names) => names.map((name) => `^server/${name}/`)
/** The files that put the service together. */
const onTop = '^server/[\\w-]+\\.ts$'

/** The first row counts whose folder a path begins with. */
const layers = [
  {
    folder: 'registry/',
    may: folders('registry'),
    because: 'The registry is pure and runs in the browser: it imports nothing else, not even node:.',
  },
  {
    folder: 'derive/',
    may: [...folders('registry', 'derive', 'sql'), ...packages('typebox', '@zxcvbn-ts/(core|language-common)')],
    because: 'Derived things have no input, output or clock.',
  },
  {
    folder: 'import/',
    may: [...folders('registry', 'derive', 'import'), ...packages('csv-parse', 'fflate', 'hucre', 'iconv-lite')],
    because: 'A file is read and imported by pages and command alike: nothing of Node or of the browser alone.',
  },
  {
    folder: 'sql/system/',
    may: [...folders('registry', 'sql/system', 'sql/citus'), '^sql/[\\w-]+\\.ts$', ...packages('sql-template-tag')],
    because: 'Statements of the fixed tables know no definition of a record.',
  },
  {
    folder: 'sql/citus/',
    may: [...folders('registry', 'sql/citus'), '^sql/[\\w-]+\\.ts$', ...packages('sql-template-tag')],
    because: 'A statement for a distributed database gets all it needs from the statement that it stands for.',
  },
  {
    folder: 'sql/',
    may: [...folders('registry', 'sql'), ...packages('sql-template-tag')],
    because: 'A statement is written here and run nowhere: no connection, no request.',
  },
  {
    folder: 'server/wait/',
    may: [...servers('wait'), ...node('events', 'stream', 'stream/promises')],
    because: 'A wait and its limit know nothing of what is waited for, and every folder of the service imports them.',
  },
  {
    folder: 'server/fair/',
    may: servers('fair'),
    because: 'The next request is chosen by the queues alone: no clock, no request, no database.',
  },
  {
    folder: 'server/config/',
    may: [...servers('config'), '^server/embedded/settings\\.ts$', ...node('fs', 'net', 'os')],
    because: 'Settings are read from the environment, and know nothing of their use.',
  },
  {
    folder: 'server/embedded/',
    may: [...servers('embedded'), ...packages('pg')],
    node: true,
    because: 'The bundled PostgreSQL is found and started without a word of the data in it.',
  },
  {
    folder: 'server/store/',
    may: [
      ...folders('registry', 'sql'),
      ...servers('fair', 'store'),
      ...packages('pg', 'pg-connection-string', 'node-pg-migrate'),
    ],
    node: true,
    because: 'Only the store knows the driver. It knows no HTTP and decides about no permission.',
  },
  {
    folder: 'server/records/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers('fair', 'store', 'records'),
      // The version of the program, on which a plan depends.
      '^server/config/config\\.ts$',
      ...node('crypto'),
      ...packages('canonicalize'),
    ],
    because: 'Records are written the same for every channel: no request, status or cookie.',
  },
  {
    folder: 'server/service/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers('fair', 'store', 'records', 'service'),
      ...node('crypto', 'zlib'),
      ...packages('@node-rs/argon2', 'canonicalize', 'uuid'),
    ],
    because: 'A service serves every channel: no request, status or cookie.',
  },
  {
    folder: 'server/jobs/',
    may: [...folders('registry', 'sql'), ...servers('store', 'records', 'service', 'jobs'), ...node('fs/promises')],
    because: 'A job in the background has no request, and sends nothing to others.',
  },
  {
    folder: 'server/outbound/',
    may: [...servers('outbound'), ...node('dns/promises', 'net', 'http', 'https'), ...packages('ipaddr\\.js')],
    because: 'The sender knows the addresses that it may send to, and nothing else.',
  },
  {
    folder: 'server/webhooks/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers('fair', 'store', 'records', 'service', 'outbound', 'webhooks'),
      '^server/(pipeline/app|jobs/in-background)\\.ts$',
      ...node('crypto'),
      ...packages('standardwebhooks'),
    ],
    because: 'Webhooks read the log through the services, and send through the one module that guards addresses.',
  },
  {
    folder: 'server/writes/',
    may: [
      ...folders('registry', 'sql'),
      ...servers('fair', 'store', 'records', 'service', 'writes'),
      ...node('crypto'),
    ],
    because: 'The road of a write is one for every channel: no request, status or cookie.',
  },
  {
    folder: 'server/pipeline/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers('fair', 'store', 'records', 'service', 'writes', 'pipeline', 'protocol'),
      '^server/config/config\\.ts$',
      ...node('crypto'),
      ...packages('pino', 'canonicalize'),
    ],
    because: 'The pipeline knows no framework, and writes no SQL.',
  },
  {
    folder: 'server/protocol/',
    may: [...folders('registry', 'derive'), ...servers('protocol'), ...node('http', 'net')],
    because: 'Headers, bodies and entity tags are read by themselves: no call, no service.',
  },
  {
    folder: 'server/http/',
    may: [
      ...folders('registry', 'derive'),
      ...servers('config', 'fair', 'pipeline', 'protocol', 'http'),
      // The types of the services that the edge is given.
      '^server/(service/(token-rate|change-watch)|store/(faults|seal))\\.ts$',
      ...packages('find-my-way', '@fastify/accept-negotiator'),
    ],
    node: true,
    because: 'The edge turns requests into calls and decides nothing: no service, no statement.',
  },
  {
    folder: 'server/paper/',
    may: [
      ...folders('registry', 'derive'),
      ...servers('fair', 'paper'),
      ...node('fs', 'module', 'worker_threads'),
      ...packages('pdfkit'),
    ],
    because: 'Papers are drawn of blocks by a thread that knows no request and no database.',
  },
  {
    folder: 'server/console-api/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers(
        'config',
        'fair',
        'records',
        'service',
        'webhooks',
        'writes',
        'pipeline',
        'protocol',
        'http',
        'paper',
        'console-api',
      ),
      '^server/store/(database|seal)\\.ts$',
      ...packages('cookie'),
    ],
    node: true,
    because: 'The console reads, asks the services and answers, behind the same request handler as /v1.',
  },
  {
    folder: 'server/agent/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers('config', 'fair', 'records', 'service', 'pipeline', 'protocol', 'http', 'agent'),
      ...node('crypto'),
      ...packages('@modelcontextprotocol/server'),
    ],
    because: 'An agent makes calls of /v1, by the same pipeline and without a check of its own.',
  },
  {
    folder: 'server/demo/',
    may: [
      ...folders('registry', 'derive', 'sql'),
      ...servers('records', 'service', 'store', 'demo'),
      '^server/app\\.ts$',
      ...node('crypto'),
      ...packages('@node-rs/argon2'),
    ],
    because: 'The demo companies are made by the services, as any other company.',
  },
  {
    folder: 'server/cluster/',
    may: [...servers('cluster', 'config', 'http', 'store', 'webhooks'), onTop, ...node('cluster', 'path')],
    because: 'Processes are started and stopped here; their work is the same as that of one process alone.',
  },
  {
    folder: 'server/commands/',
    may: [...folders('registry', 'derive', 'import', 'sql', 'server'), ...packages('commander', 'vite', 'pino')],
    node: true,
    because: 'The command is the program: it may know all of the service.',
  },
  {
    folder: 'server/backup/',
    may: [
      ...servers('backup', 'config', 'embedded', 'store'),
      // The refusal for a company that does not exist.
      '^server/(jobs/in-background|service/company)\\.ts$',
      ...node('crypto', 'fs', 'fs/promises', 'os', 'path', 'stream', 'stream/(consumers|promises)', 'zlib'),
      ...packages('tar-stream', 'pino'),
    ],
    because: 'A backup is made of files and of the database: it knows no request and no record.',
  },
  {
    folder: 'server/',
    may: [
      ...folders('registry', 'derive'),
      ...servers(
        '(agent|backup|config|console-api|embedded|fair|http|jobs|outbound|pipeline|protocol|records|service|store|writes)',
      ),
      onTop,
      ...packages('pino', 'prom-client'),
    ],
    node: true,
    because: 'The files on top put the service together; command, cluster and demo stand above them.',
  },
  {
    folder: 'console/',
    may: [
      ...folders('registry', 'derive', 'import', 'console'),
      ...packages(
        'node-diff3',
        'react',
        '@mui/[\\w-]+',
        '@emotion/[\\w-]+',
        '@mdi/js',
        '@tanstack/react-query',
        'ra-core',
        'react-dom',
      ),
    ],
    because: 'The pages know the registry and what follows from it, and nothing of the server.',
  },
  {
    folder: 'clients/',
    may: folders('clients'),
    because: 'A client is installed by itself: it imports nothing of the service and no package.',
  },
]

const rules = layers.map(({ folder, may, node: mayUseNode = false, because }, index) => ({
  name: folder.slice(0, -1).replaceAll('/', '-'),
  comment: because,
  severity: 'error',
  from: {
    path: `^${folder}`,
    pathNot: layers
      .slice(0, index)
      .flatMap((earlier) => (earlier.folder.startsWith(folder) ? [`^${earlier.folder}`] : [])),
  },
  to: {
    pathNot: folder.startsWith('server/') ? [...may, ...servers('wait')] : may,
    ...(mayUseNode && { dependencyTypesNot: ['core'] }),
  },
}))

/** Files of the console with inputs, addresses and comparisons of texts of others. */
const filesWithRawTexts = [
  'home/home-page',
  'me/(first-name|profile-page)',
  'settings/accounts/accounts-section',
  'settings/api/token-panel',
  'settings/banners',
  'settings/calls/(call-page|call-text|calls-section)',
  'settings/company/company-section',
  'settings/webhooks/webhook-dialog',
  'sign-in/sign-in-again',
]

module.exports = {
  forbidden: [
    ...rules,
    {
      name: 'derive-sql-types',
      comment: 'Of a type of sql/ nothing is left at run time: answers are typed by the rows of their statements.',
      severity: 'error',
      from: { path: '^derive/' },
      to: { path: '^sql/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'driver',
      comment: 'The driver is imported by the store and by the bundled PostgreSQL alone.',
      severity: 'error',
      from: { path: '^(registry|derive|import|sql|server|console)/', pathNot: '^server/(store|embedded)/' },
      to: { path: packages('pg') },
    },
    {
      name: 'outbound',
      comment: 'One folder alone sends requests to others, and looks at where they go.',
      severity: 'error',
      from: { path: '^(registry|derive|sql|server|console|clients)/', pathNot: '^server/outbound/' },
      to: {
        path: [
          ...node('https', 'http2', 'tls', 'dgram', 'dns', 'dns/promises'),
          ...packages('undici', 'axios', 'got', 'ws', 'nodemailer'),
        ],
      },
    },
    {
      name: 'programs',
      comment: 'Programs are started in these files, each with a list of arguments.',
      severity: 'error',
      from: {
        path: '^(registry|derive|sql|server|console|clients)/',
        pathNot: '^server/(commands/build-console|embedded/(cluster|processes))\\.ts$',
      },
      to: { path: node('child_process') },
    },
    {
      name: 'texts-of-others',
      comment:
        'A text of others is shown by `Foreign` and `quote`. As it is, it is for inputs, addresses and comparisons, in these files.',
      severity: 'error',
      from: { path: '^console/', pathNot: `^console/(${filesWithRawTexts.join('|')})\\.tsx?$` },
      to: { path: '^console/texts/raw-text\\.ts$' },
    },
    {
      name: 'answers',
      comment:
        'Pages take the types of answers in which the texts of others are marked. An import works with them as they are.',
      severity: 'error',
      from: { path: '^console/', pathNot: '^console/(client/answers|records/import/use-import)\\.ts$' },
      to: { path: '^derive/console/responses\\.ts$' },
    },
    {
      name: 'file-circle',
      comment: 'A file that needs a file that needs it cannot be understood or loaded alone. Types do not count.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'folder-circle',
      comment: 'Folders depend on each other in one direction, types included. The folders of the pages do not yet.',
      scope: 'folder',
      severity: 'error',
      from: { pathNot: '^console/' },
      to: { circular: true },
    },
    {
      name: 'proof',
      comment: 'A proof from outside uses the service as its callers do.',
      severity: 'error',
      from: { path: '^proof/' },
      to: { path: '^(registry|derive|import|sql|server|console|clients|test)/' },
    },
    {
      name: 'waits',
      comment: 'A wait for an event or a stream has its limit, or the name of its end: server/wait/wait.ts.',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/wait/' },
      to: {
        path: node('events', 'stream/promises', 'readline', 'readline/promises'),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'unresolved',
      comment: 'An import that is not found is judged by no other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: '^node_modules' },
    exclude: { path: ['\\.test\\.tsx?$', '/dist/', '^console/dist'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
