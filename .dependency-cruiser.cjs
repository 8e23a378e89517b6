/**
 * Rules about which module may import which. They define the architecture that docs/architecture.md describes. For each rule, a
 * fixture under tooling/boundaries/fixtures/<rule name>/ violates it, to prove that the rule reports violations.
 *
 * - Paths are source paths: workspace packages resolve to their source, as they do for tests.
 * - Type-only imports count, because a type is a dependency too.
 * - Rules that dependency-cruiser cannot check (process.env, fetch, venue names) are in tooling/boundaries/source-rules.mjs.
 */

const SPEC = '\\.spec\\.m?ts$';
const SUPPORT = [SPEC, '/testing/', '/test/', '/conformance/'];

/** Matches the named workspace packages or entry points (`runtime/backoff`), even if the import is unresolved. */
const packages = (...names) =>
  `^(?:packages/|@trading-automation/)(?:${names.map((name) => name.replace('/', '/(?:src/)?')).join('|')})(?:/|$)`;
/** Matches test support. Every test may import it; `production-code-imports-no-test-support` forbids it in production code. */
const TEST_SUPPORT = packages('runtime/testing');
const ANY_PACKAGE = '^(?:packages/|@trading-automation/)';
const APPS = '^apps/';

/** Matches npm packages, both resolved (in node_modules) and as written in the import. */
const npm = (...names) => `(?:^|/node_modules/)(?:${names.join('|')})(?:/|$)`;

const packageMayImport = (name, ...allowed) => ({
  name: `${name}-imports-${allowed.join('-and-').replaceAll('/', '-') || 'no-workspace-package'}`,
  comment: `packages/${name} may import ${allowed.length > 0 ? `only ${allowed.join(', ')}` : 'no other package of the workspace'}.`,
  from: { path: `^packages/${name}/` },
  to: { path: ANY_PACKAGE, pathNot: [packages(name, ...allowed), TEST_SUPPORT] },
});

/** The page of GraphiQL, which runs in a browser and has a rule of its own. */
const GRAPHIQL_PAGE = '^apps/graphql-api/graphiql/';

/** Tests of an app may import more than the app, because they simulate its callers and the services it uses. */
const appMayImport = (name, ...allowed) => ({
  name: `${name}-imports-only-its-list`,
  comment: `apps/${name} is a transport: it may import ${allowed.join(', ') || 'no package of the workspace'}.`,
  from: { path: `^apps/${name}/`, pathNot: [...SUPPORT, GRAPHIQL_PAGE] },
  to: {
    path: ANY_PACKAGE,
    ...(allowed.length > 0 ? { pathNot: allowed.map((entry) => packages(entry)) } : {}),
  },
});

/**
 * Maps each folder of core to the folders that it may import. All other folders are forbidden, and a folder that is not
 * listed fails `core-folders-have-a-place`. Each folder is listed after the folders that it imports, so cycles cannot exist.
 */
const BASIS = ['values', 'platform', 'operations'];
const FEATURE_ORDER = {
  values: [],
  platform: [],
  operations: ['values', 'platform'],
  sealing: BASIS,
  mail: BASIS,
  ledger: BASIS,
  performance: ['values'],
  'market-data': BASIS,
  access: [...BASIS, 'mail'],
  'sign-in': [...BASIS, 'access', 'mail'],
  'browser-sessions': [...BASIS, 'access'],
  'exchange-accounts': [...BASIS, 'access', 'sealing'],
  'trade-pairs': [...BASIS, 'access', 'exchange-accounts', 'market-data'],
  strategies: [...BASIS, 'access', 'performance', 'trade-pairs', 'exchange-accounts'],
  positions: [...BASIS, 'access', 'trade-pairs', 'exchange-accounts'],
  trades: [...BASIS, 'access', 'trade-pairs', 'exchange-accounts', 'strategies', 'positions'],
  funding: [...BASIS, 'trades'],
  analytics: [
    ...BASIS,
    'access',
    'performance',
    'trade-pairs',
    'exchange-accounts',
    'strategies',
    'positions',
    'trades',
  ],
  copiers: [
    ...BASIS,
    'access',
    'performance',
    'trade-pairs',
    'exchange-accounts',
    'strategies',
    'positions',
    'trades',
  ],
  'emergency-stop': [...BASIS, 'access', 'exchange-accounts', 'positions', 'trades', 'copiers'],
  rewards: [...BASIS, 'access', 'ledger', 'trades'],
  withdrawals: [...BASIS, 'access', 'mail', 'ledger', 'exchange-accounts'],
  notifications: [...BASIS, 'access', 'mail'],
  settings: [...BASIS, 'access'],
  events: [...BASIS, 'access'],
  webhooks: [...BASIS, 'access', 'sealing'],
  'request-log': [...BASIS, 'access'],
};
/** Folders that assemble the features, and the folder of the test environment. They may import every feature. */
const ASSEMBLY = ['database', 'api', 'testing'];
const FEATURES = Object.keys(FEATURE_ORDER);
const inFeature = (...names) => `^packages/core/src/(?:${names.join('|')})/`;

const featureOrder = FEATURES.map((feature) => ({
  name: `feature-order-of-${feature}`,
  comment: `core/${feature} may import ${FEATURE_ORDER[feature].join(', ') || 'no other folder of core'}. Features that must react to core/${feature} subscribe to its events.`,
  from: { path: inFeature(feature) },
  to: { path: inFeature(...FEATURES), pathNot: inFeature(feature, ...FEATURE_ORDER[feature]) },
}));

const forbidden = [
  {
    name: 'no-cycles',
    comment: 'If two files import each other, merge them or extract a third file.',
    from: {},
    to: { circular: true },
  },
  packageMayImport('contracts'),
  packageMayImport('signed-request'),
  packageMayImport('pagination'),
  packageMayImport('exchanges', 'contracts'),
  packageMayImport('persistence', 'pagination', 'runtime/backoff'),
  packageMayImport('runtime', 'contracts'),
  packageMayImport('sdk', 'contracts', 'signed-request', 'pagination'),
  {
    name: 'cli-imports-sdk',
    comment:
      'packages/cli may import only sdk, so that every user of the SDK can do what the CLI does. Its generator reads the contracts, and its tests simulate an API with them.',
    from: { path: '^packages/cli/', pathNot: [...SUPPORT, '^packages/cli/scripts/'] },
    to: { path: ANY_PACKAGE, pathNot: packages('cli', 'sdk') },
  },
  packageMayImport(
    'core',
    'contracts',
    'signed-request',
    'pagination',
    'persistence',
    'exchanges',
    'runtime/backoff',
  ),
  {
    name: 'core-sees-only-the-exchange-port',
    comment:
      'Core decides about trades; only the trading worker knows the library that sends them to a venue. Tests of core may import the fake exchange.',
    from: { path: '^packages/core/', pathNot: SUPPORT },
    to: {
      path: '^(?:packages/exchanges/src|@trading-automation/exchanges)/',
      pathNot: '^packages/exchanges/src/(?:index|port)\\.ts$',
    },
  },
  {
    name: 'dialects-know-only-the-scripted-exchange',
    comment:
      'A dialect proves the declaration of its venue, so an error in the one must not be repeated in the other. It imports neither ccxt nor code that the product runs.',
    from: { path: '^packages/exchanges/src/venues/[^/]+/dialect/' },
    to: {
      path: ['^packages/exchanges/src/', '(?:^|/)ccxt(?:/|$)'],
      pathNot: '^packages/exchanges/src/venues/[^/]+/dialect/',
    },
  },
  {
    name: 'venues-stand-apart',
    comment:
      'A venue is one folder: what two venues share belongs in src/ccxt. A venue can then be changed or removed alone.',
    from: { path: '^packages/exchanges/src/venues/([^/]+)/' },
    to: {
      path: '^packages/exchanges/src/venues/[^/]+/',
      pathNot: '^packages/exchanges/src/venues/$1/',
    },
  },
  {
    name: 'nothing-imports-an-app',
    comment: 'An app is a process. Code that two processes share belongs in a package.',
    from: { pathNot: APPS },
    to: { path: APPS },
  },
  {
    name: 'no-app-imports-another-app',
    comment:
      'Processes communicate through HTTP, Postgres and Redis, never through imports. Tests of one app may call another.',
    from: { path: '^apps/([^/]+)/', pathNot: SUPPORT },
    to: { path: APPS, pathNot: '^apps/$1/' },
  },
  appMayImport('rest-api', 'core', 'contracts', 'runtime'),
  appMayImport('graphql-api', 'core', 'contracts', 'pagination', 'runtime'),
  {
    name: 'graphiql-page-imports-the-signer-alone',
    comment:
      'The page of GraphiQL runs in a browser. Outside its folder, it may import only the browser entry of signed-request.',
    from: { path: GRAPHIQL_PAGE },
    to: { path: [ANY_PACKAGE, APPS], pathNot: [GRAPHIQL_PAGE, '^packages/signed-request/src/browser\\.ts$'] },
  },
  appMayImport('trading-worker', 'core', 'contracts', 'runtime', 'exchanges'),
  appMayImport('webhook-dispatcher', 'core', 'contracts', 'runtime'),
  {
    name: 'webhook-dispatcher-sees-only-delivery-features',
    comment:
      'The dispatcher calls foreign hosts. Of core, it may import only webhooks, notifications, mail, sealing and the entry point.',
    from: { path: '^apps/webhook-dispatcher/', pathNot: SUPPORT },
    to: {
      path: '^packages/core/src/',
      pathNot: '^packages/core/src/(?:index\\.ts$|sealing/|mail/|webhooks/|notifications/)',
    },
  },
  appMayImport('paper-exchange', 'runtime'),
  appMayImport('migrator', 'core', 'runtime'),
  appMayImport('dashboard', 'contracts', 'sdk', 'signed-request', 'runtime'),
  {
    name: 'dashboard-pages-know-no-process',
    comment:
      'What runs in a browser may import only contracts and the SDK. Only the process and the routes of the server may import the rest.',
    from: { path: '^apps/dashboard/src/(?:data|features|format|shell|ui)/', pathNot: SUPPORT },
    to: { path: ['^apps/dashboard/src/(?:process|server)/', packages('runtime', 'signed-request')] },
  },
  {
    name: 'dashboard-features-stand-apart',
    comment: 'A feature of the dashboard must be removable by deleting its folder.',
    from: { path: '^apps/dashboard/src/features/([^/]+)/' },
    to: { path: '^apps/dashboard/src/features/', pathNot: '^apps/dashboard/src/features/$1/' },
  },
  {
    name: 'tooling-is-for-config-files',
    comment:
      'The product must run without its tooling. In apps and packages, only config files may import the tooling.',
    from: { path: '^(?:apps|packages)/', pathNot: '\\.config\\.[cm]?[jt]s$' },
    to: { path: '^tooling/' },
  },
  ...featureOrder,
  {
    name: 'core-folders-have-a-place',
    comment: 'Add a new folder of core to FEATURE_ORDER before you import it.',
    from: {},
    to: {
      path: '^packages/core/src/[^/]+/',
      pathNot: inFeature(...FEATURES, ...ASSEMBLY),
    },
  },
  {
    name: 'features-know-no-assembly',
    comment: 'The database, the API bundle and the test environment import the features, never the reverse.',
    from: { path: inFeature(...FEATURES), pathNot: SUPPORT },
    to: { path: inFeature(...ASSEMBLY) },
  },
  {
    name: 'core-is-entered-by-folder',
    comment: 'Every file of core is in the folder of its feature; only the entry point is not in a folder.',
    from: {},
    to: { path: '^packages/core/src/(?!index\\.ts$)[^/]+\\.ts$' },
  },
  {
    name: 'features-are-entered-by-their-door',
    comment: 'Import another feature only through its index.ts; its other files are private.',
    from: { path: '^packages/core/src/([^/]+)/' },
    to: {
      path: inFeature(...FEATURES),
      pathNot: ['^packages/core/src/$1/', '^packages/core/src/[^/]+/index\\.ts$', '\\.entity\\.ts$'],
    },
  },
  {
    name: 'packages-are-entered-by-their-door',
    comment: 'Import other packages only through the entries of their exports map, never through deep paths.',
    from: { path: ['^(?:apps|packages|tooling)/([^/]+)/', '^(bench)/'] },
    to: {
      path: '^packages/',
      pathNot: [
        '^packages/$1/',
        '^packages/[^/]+/src/index\\.ts$',
        '^packages/[^/]+/src/[^/]+/index\\.ts$',
        '^packages/exchanges/src/port\\.ts$',
        '^packages/signed-request/src/(?:browser|webhooks|webhooks-web-crypto)\\.ts$',
        '\\.json$',
      ],
    },
  },
  {
    name: 'barrels-only-at-doors',
    comment: 'An index.ts is the entry of a package or a feature. Anywhere else it hides dependencies.',
    from: {},
    to: { path: '^(?:packages|apps)/[^/]+/src/[^/]+/.+/index\\.ts$' },
  },
  {
    name: 'entities-stay-in-their-folder',
    comment: 'Only its own feature and data-source.ts may import an entity; services return contract types.',
    from: { path: '^(.+)/[^/]+$', pathNot: [...SUPPORT, '/data-source\\.ts$'] },
    to: { path: '^packages/core/.+\\.entity\\.ts$', pathNot: '^$1/[^/]+$' },
  },
  {
    name: 'doors-show-no-entity',
    comment: "A feature's index.ts exports its module, service and public types, never its entities.",
    from: { path: inFeature(...FEATURES).concat('index\\.ts$') },
    to: { path: '\\.entity\\.ts$' },
  },
  {
    name: 'rules-are-pure',
    comment:
      'A *.rules.ts decides only from its arguments. It may import contracts, core/values, the backoff, ipaddr.js, and the rules and types of its folder, but no framework, clock, randomness or I/O.',
    from: { path: '^(packages/core/.+)/[^/]+\\.rules\\.ts$' },
    to: {
      pathNot: [
        packages('contracts', 'runtime/backoff'),
        '^packages/core/src/values/index\\.ts$',
        '^$1/[^/]+\\.(?:rules|types)\\.ts$',
        // Pure: parses and compares IP addresses.
        '/node_modules/ipaddr\\.js/',
      ],
    },
  },
  {
    name: 'copies-are-planned-in-one-place',
    comment:
      'planCopy decides about every copy. Only live copying and simulation call it, so that a simulation shows what would happen.',
    from: { pathNot: [...SUPPORT, '^packages/core/src/copiers/(?:copying|simulation)/'] },
    to: { path: '^packages/core/src/copiers/planning/plan\\.rules\\.ts$' },
  },
  {
    name: 'copies-are-sized-by-the-plan',
    comment: 'Only the plan may size a copy; a second implementation could give another size.',
    from: { pathNot: [...SUPPORT, '^packages/core/src/copiers/planning/'] },
    to: {
      path: '^packages/core/src/copiers/planning/(?:sizing|sellable|entry-checks|entry-plan|exit-plan|copied-lot)\\.rules\\.ts$',
    },
  },
  {
    name: 'typeorm-stays-near-the-data',
    comment: 'Only persistence and core may import TypeORM; in core, only entities, queries and services.',
    from: {
      pathNot: [
        ...SUPPORT,
        '^packages/persistence/',
        '^packages/core/.*migrations/',
        '^packages/core/src/[^.]+\\.(?:entity\\.|queries\\.|service\\.)?ts$',
      ],
    },
    to: { path: npm('typeorm', '@nestjs/typeorm') },
  },
  {
    name: 'graphql-stays-in-the-graphql-api',
    comment: 'GraphQL is one of several transports, so only the GraphQL API may import its libraries.',
    from: { pathNot: ['^apps/graphql-api/', '^apps/dashboard/', '^bench/', ...SUPPORT] },
    to: { path: npm('@nestjs/graphql', '@nestjs/mercurius', 'mercurius', 'graphql') },
  },
  {
    name: 'packages-know-no-http-server',
    comment:
      'Packages must not depend on an HTTP server. A server belongs to an app; code that both API servers share belongs to runtime/http.',
    from: { path: '^packages/', pathNot: [...SUPPORT, '^packages/runtime/src/http/'] },
    to: { path: npm('express', 'fastify', '@nestjs/platform-express', '@nestjs/platform-fastify') },
  },
  {
    name: 'network-clients-only-at-the-edges',
    comment:
      'Code with network access can leak data. Only exchanges, the SDK, webhook delivery, the paper exchange, the live commands of the CLI and the WebSocket server of the GraphQL API may have network access.',
    from: {
      path: '^(?:apps|packages)/',
      pathNot: [
        ...SUPPORT,
        '^apps/graphql-api/src/server/',
        '^packages/(?:exchanges|sdk)/',
        '^packages/cli/src/(?:listen|live|doctor|dev)/',
        '^apps/webhook-dispatcher/src/delivery/',
        '^apps/paper-exchange/',
      ],
    },
    to: { path: npm('ws', 'undici', 'ccxt', 'axios', 'got', 'node-fetch') },
  },
  {
    name: 'contracts-and-pagination-need-zod-alone',
    comment: 'These packages run in browsers and in programs of users, so zod is their only dependency.',
    from: { path: '^packages/(contracts|pagination)/src/', pathNot: SPEC },
    to: { pathNot: [ANY_PACKAGE, npm('zod')] },
  },
  {
    name: 'the-browser-entry-reaches-no-node',
    comment:
      'The browser entries of signed-request must bundle for browsers, so they may use only the pure JavaScript engines.',
    from: { path: '^packages/signed-request/src/(?:browser|webhooks|webhooks-web-crypto)\\.ts$' },
    to: {
      path: [npm('secp256k1'), '^(?:node:)?(?:crypto|buffer|fs|fs/promises|module|process)$'],
      reachable: true,
    },
  },
  {
    name: 'production-code-imports-no-test-support',
    comment: 'Production code must not import fakes, template databases or specs.',
    from: { path: '^(?:apps|packages)/', pathNot: [...SUPPORT, '^packages/exchanges/src/fake/'] },
    to: {
      path: ['^packages/(?:persistence|runtime)/src/testing/', '^packages/exchanges/src/fake/', SPEC],
    },
  },
].map((rule) => ({ severity: 'error', ...rule }));

module.exports = {
  forbidden,
  options: {
    doNotFollow: { path: ['node_modules', '(?:^|/)dist/'] },
    exclude: { path: ['(?:^|/)dist/', '^tooling/boundaries/fixtures/'] },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6', 'cjs', 'tsd'],
    enhancedResolveOptions: {
      conditionNames: ['@trading-automation/source', 'import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json', '.d.ts'],
    },
  },
};
