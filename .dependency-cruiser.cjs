/**
 * Rules about which module may import which. They define the architecture that docs/architecture.md draws. Each has a
 * deliberately wrong fixture under tooling/boundaries/fixtures/<rule name>/ that proves it fires.
 *
 * - Paths are source paths: workspace packages resolve to their source, as they do for tests.
 * - Type-only imports count: knowing a shape is a dependency too.
 * - What no import can show (process.env, fetch, venue names) is in tooling/boundaries/source-rules.mjs.
 */

const SPEC = '\\.spec\\.m?ts$';
const SUPPORT = [SPEC, '/testing/', '/test/', '/conformance/'];

/** Packages, or entry points of packages (`runtime/backoff`), whether the import resolved or not. */
const packages = (...names) =>
  `^(?:packages/|@trading-automation/)(?:${names.map((name) => name.replace('/', '/(?:src/)?')).join('|')})(?:/|$)`;
/** Every test may use it; `production-code-imports-no-test-support` keeps it out of the product. */
const TEST_SUPPORT = packages('runtime/testing');
const ANY_PACKAGE = '^(?:packages/|@trading-automation/)';
const APPS = '^apps/';

/** A package of the registry, as it resolves (in node_modules) and as it is written. */
const npm = (...names) => `(?:^|/node_modules/)(?:${names.join('|')})(?:/|$)`;

const packageMayImport = (name, ...allowed) => ({
  name: `${name}-imports-${allowed.join('-and-').replaceAll('/', '-') || 'no-workspace-package'}`,
  comment: `packages/${name} may know ${allowed.length > 0 ? `only ${allowed.join(', ')}` : 'no other package of the workspace'}.`,
  from: { path: `^packages/${name}/` },
  to: { path: ANY_PACKAGE, pathNot: [packages(name, ...allowed), TEST_SUPPORT] },
});

/** An app's tests may use more than the app: they play its callers and its surroundings. */
const appMayImport = (name, ...allowed) => ({
  name: `${name}-imports-only-its-list`,
  comment: `apps/${name} is a transport: it may know ${allowed.join(', ') || 'no package of the workspace'}.`,
  from: { path: `^apps/${name}/`, pathNot: SUPPORT },
  to: {
    path: ANY_PACKAGE,
    ...(allowed.length > 0 ? { pathNot: allowed.map((entry) => packages(entry)) } : {}),
  },
});

/**
 * Folder of core -> the folders it may import. What is not listed is forbidden, and a folder that is not listed fails
 * `core-folders-have-a-place`. A folder is listed after everything it imports, so no cycle can be written down.
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
  'sign-in': [...BASIS, 'access'],
  'trade-pairs': [...BASIS, 'access'],
  'exchange-accounts': [...BASIS, 'access', 'sealing'],
  strategies: [...BASIS, 'access', 'performance', 'trade-pairs', 'exchange-accounts'],
  trades: [...BASIS, 'access', 'trade-pairs', 'exchange-accounts', 'strategies'],
  analytics: [...BASIS, 'access', 'performance', 'trade-pairs', 'exchange-accounts', 'strategies', 'trades'],
  copiers: [...BASIS, 'access', 'trade-pairs', 'exchange-accounts', 'strategies', 'trades'],
  'emergency-stop': [...BASIS, 'access', 'exchange-accounts', 'trades', 'copiers'],
  rewards: [...BASIS, 'access', 'ledger', 'trades'],
  withdrawals: [...BASIS, 'access', 'ledger', 'exchange-accounts'],
  notifications: [...BASIS, 'access', 'mail'],
  settings: [...BASIS, 'access'],
  events: [...BASIS, 'access'],
  webhooks: [...BASIS, 'access', 'sealing'],
};
/** Folders that assemble the features, and the tests' own. They may import every feature. */
const ASSEMBLY = ['database', 'api', 'testing'];
const FEATURES = Object.keys(FEATURE_ORDER);
const inFeature = (...names) => `^packages/core/src/(?:${names.join('|')})/`;

const featureOrder = FEATURES.map((feature) => ({
  name: `feature-order-of-${feature}`,
  comment: `core/${feature} may import ${FEATURE_ORDER[feature].join(', ') || 'no other folder of core'}. A feature that must react to it subscribes to its events.`,
  from: { path: inFeature(feature) },
  to: { path: inFeature(...FEATURES), pathNot: inFeature(feature, ...FEATURE_ORDER[feature]) },
}));

const forbidden = [
  {
    name: 'no-cycles',
    comment: 'Two files that need each other are one file, or hide a third.',
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
      'packages/cli may know only sdk: what it can do, anybody can. Its generator reads the contracts, and its tests play an API from them.',
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
      'Core decides about trades; which venue library carries them is the business of the trading worker. Its tests may use the fake.',
    from: { path: '^packages/core/', pathNot: SUPPORT },
    to: {
      path: '^(?:packages/exchanges/src|@trading-automation/exchanges)/',
      pathNot: '^packages/exchanges/src/(?:index|port)\\.ts$',
    },
  },
  {
    name: 'nothing-imports-an-app',
    comment: 'An app is a process. What two processes share is a package.',
    from: { pathNot: APPS },
    to: { path: APPS },
  },
  {
    name: 'no-app-imports-another-app',
    comment:
      'Processes meet over the wire, Postgres and Redis, never by import. Tests of one may play the callers of another.',
    from: { path: '^apps/([^/]+)/', pathNot: SUPPORT },
    to: { path: APPS, pathNot: '^apps/$1/' },
  },
  appMayImport('rest-api', 'core', 'contracts', 'runtime'),
  appMayImport('graphql-api', 'core', 'contracts', 'pagination', 'runtime'),
  appMayImport('trading-worker', 'core', 'contracts', 'runtime', 'exchanges'),
  appMayImport('webhook-dispatcher', 'core', 'contracts', 'runtime'),
  {
    name: 'webhook-dispatcher-sees-only-delivery-features',
    comment:
      'The dispatcher talks to the outside: of core it may know webhooks, notifications, what opens their secrets, and the door that sets core up.',
    from: { path: '^apps/webhook-dispatcher/', pathNot: SUPPORT },
    to: {
      path: '^packages/core/src/',
      pathNot: '^packages/core/src/(?:index\\.ts$|sealing/|mail/|webhooks/|notifications/)',
    },
  },
  appMayImport('paper-exchange', 'runtime'),
  appMayImport('migrator', 'core', 'runtime'),
  appMayImport('dashboard', 'contracts', 'sdk'),
  {
    name: 'dashboard-features-stand-apart',
    comment: 'A feature of the dashboard can be deleted with its folder.',
    from: { path: '^apps/dashboard/features/([^/]+)/' },
    to: { path: '^apps/dashboard/features/', pathNot: '^apps/dashboard/features/$1/' },
  },
  {
    name: 'tooling-is-for-config-files',
    comment:
      'The product runs without the tools that build it. Benchmarks play its surroundings, as tests do, and start it.',
    from: { path: '^(?:apps|packages)/', pathNot: '\\.config\\.[cm]?[jt]s$' },
    to: { path: '^tooling/' },
  },
  ...featureOrder,
  {
    name: 'core-folders-have-a-place',
    comment: 'A folder of core is listed in FEATURE_ORDER before anything imports it.',
    from: {},
    to: {
      path: '^packages/core/src/[^/]+/',
      pathNot: inFeature(...FEATURES, ...ASSEMBLY),
    },
  },
  {
    name: 'features-know-no-assembly',
    comment:
      'The database, the API bundle and the test environment are built on the features, never the reverse.',
    from: { path: inFeature(...FEATURES), pathNot: SUPPORT },
    to: { path: inFeature(...ASSEMBLY) },
  },
  {
    name: 'core-is-entered-by-folder',
    comment: 'A file of core lives in a folder that says what it belongs to; only the entry point is loose.',
    from: {},
    to: { path: '^packages/core/src/(?!index\\.ts$)[^/]+\\.ts$' },
  },
  {
    name: 'features-are-entered-by-their-door',
    comment: 'Another feature is its index.ts; everything else in its folder may change without asking.',
    from: { path: '^packages/core/src/([^/]+)/' },
    to: {
      path: inFeature(...FEATURES),
      pathNot: ['^packages/core/src/$1/', '^packages/core/src/[^/]+/index\\.ts$', '\\.entity\\.ts$'],
    },
  },
  {
    name: 'packages-are-entered-by-their-door',
    comment: 'No deep path into another package works: only what its exports map names.',
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
    comment: "An index.ts is a package's entry or a feature's door; anywhere else it hides who needs what.",
    from: {},
    to: { path: '^(?:packages|apps)/[^/]+/src/[^/]+/.+/index\\.ts$' },
  },
  {
    name: 'entities-stay-in-their-folder',
    comment:
      'A row is known to its feature and to data-source.ts alone: services answer with contract types.',
    from: { path: '^(.+)/[^/]+$', pathNot: [...SUPPORT, '/data-source\\.ts$'] },
    to: { path: '^packages/core/.+\\.entity\\.ts$', pathNot: '^$1/[^/]+$' },
  },
  {
    name: 'doors-show-no-entity',
    comment: "A feature's index.ts offers its module, service and public types, never its rows.",
    from: { path: inFeature(...FEATURES).concat('index\\.ts$') },
    to: { path: '\\.entity\\.ts$' },
  },
  {
    name: 'rules-are-pure',
    comment:
      'A *.rules.ts decides from its arguments: contracts, exact arithmetic, the backoff, the reading of a URL and other rules and types of its folder, no framework, clock, randomness or I/O.',
    from: { path: '^(packages/core/.+)/[^/]+\\.rules\\.ts$' },
    to: {
      pathNot: [
        packages('contracts', 'runtime/backoff'),
        '^packages/core/src/values/index\\.ts$',
        '^$1/[^/]+\\.(?:rules|types)\\.ts$',
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
    from: { pathNot: [...SUPPORT, '^packages/core/src/copiers/planning/plan\\.rules\\.ts$'] },
    to: { path: '^packages/core/src/copiers/planning/(?:sizing|entry-checks)\\.rules\\.ts$' },
  },
  {
    name: 'typeorm-stays-near-the-data',
    comment: 'SQL and its mapper live in persistence and core, there in no rules, views, types or modules.',
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
    comment: 'GraphQL is one transport of several.',
    from: { pathNot: ['^apps/graphql-api/', '^apps/dashboard/', '^bench/', ...SUPPORT] },
    to: { path: npm('@nestjs/graphql', '@nestjs/mercurius', 'mercurius', 'graphql') },
  },
  {
    name: 'packages-know-no-http-server',
    comment:
      'Core and its neighbours must not see HTTP; a server belongs to an app, and what the servers of both APIs share to runtime/http.',
    from: { path: '^packages/', pathNot: [...SUPPORT, '^packages/runtime/src/http/'] },
    to: { path: npm('express', 'fastify', '@nestjs/platform-express', '@nestjs/platform-fastify') },
  },
  {
    name: 'network-clients-only-at-the-edges',
    comment:
      'Code with network access can leak data: only exchanges, the SDK, webhook delivery, the paper exchange and the live views of the command line have it. (The GraphQL API serves WebSockets.)',
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
    comment: "They run in browsers and in other people's programs.",
    from: { path: '^packages/(contracts|pagination)/src/', pathNot: SPEC },
    to: { pathNot: [ANY_PACKAGE, npm('zod')] },
  },
  {
    name: 'the-browser-entry-reaches-no-node',
    comment:
      'The browser entries of signed-request, signing and the verifying of webhooks, must bundle: pure JavaScript engines alone.',
    from: { path: '^packages/signed-request/src/(?:browser|webhooks|webhooks-web-crypto)\\.ts$' },
    to: {
      path: [npm('secp256k1'), '^(?:node:)?(?:crypto|buffer|fs|fs/promises|module|process)$'],
      reachable: true,
    },
  },
  {
    name: 'production-code-imports-no-test-support',
    comment: 'Fakes, template databases and specs must never reach a running product.',
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
