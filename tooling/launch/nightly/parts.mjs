import { availableParallelism } from 'node:os';

/**
 * The parts of the nightly run, which take too long for every change. `limitMinutes`: how long the part may take on two
 * cores; 30 minutes if undefined.
 *
 * @typedef {{
 *   name: string, about: string, command: string, args: string[], env?: Record<string, string>, limitMinutes?: number,
 * }} Part
 */

/** @param {string[]} args */
const faults = (...args) => ['tooling/faults/main.mjs', '--as-built', ...args];

/** Faults that kill processes of the product. The others affect servers, receivers and clocks. */
const kills = ['F1', 'F2', 'F3', 'F4', 'F5'];
const others = ['F6', 'F7', 'F9', 'F10', 'F11', 'F12', 'F13', 'F15', 'F16', 'F17'];
/** Faults whose long form has targets for rates or durations, so that nothing else may run meanwhile. */
const measured = ['F8', 'F22'];

const jestNodeOptions = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

/** @type {readonly Part[]} */
export const PARTS = [
  {
    name: 'faults-kills',
    about: 'the long form of the faults that kill the product’s processes',
    command: 'node',
    args: faults(...kills, '--size', 'long', '--only', 'with', '--at-once', '3'),
  },
  {
    name: 'faults-servers',
    about: 'the long form of the faults of servers, receivers and clocks',
    command: 'node',
    args: faults(...others, '--size', 'long', '--only', 'with', '--at-once', '3'),
  },
  {
    name: 'faults-measured',
    about: 'the long form of the faults whose rates and durations are measured, one at a time',
    command: 'node',
    args: faults(...measured, '--size', 'long', '--only', 'with', '--at-once', '1'),
  },
  {
    name: 'defences',
    about: 'every fault with its defence removed; each run must fail',
    command: 'node',
    args: faults('--size', 'short', '--only', 'without', '--at-once', '2'),
  },
  {
    name: 'storm',
    about: 'ten minutes of kills and exchange faults with the whole product',
    command: 'node',
    args: ['tooling/chaos/main.mjs', '--minutes', '10'],
  },
  {
    name: 'storm-perpetual',
    about: 'the same on perpetuals, with fundings, deleveraging and liquidations',
    command: 'node',
    args: ['tooling/chaos/main.mjs', '--minutes', '10', '--perpetual'],
  },
  {
    name: 'takeovers',
    about: 'the only worker killed five times; no copy may be too old',
    command: 'node',
    args: ['tooling/chaos/takeovers.mjs'],
  },
  {
    name: 'venue-clients',
    about:
      'every method of six third-party clients on the paper exchange, compared with the table in its README',
    command: 'node',
    args: ['tooling/venue-clients/main.mjs'],
  },
  {
    name: 'oracle',
    about: '5,000 decisions on random days, compared with the second implementation of the rules',
    command: 'node',
    args: [
      'tooling/oracle/main.mjs',
      '--decisions',
      '5000',
      '--seed',
      '7',
      '--copiers',
      '20',
      '--wait-for-equity',
    ],
  },
  {
    name: 'oracle-perpetual',
    about:
      '5,000 decisions on random days on perpetuals, compared with the second implementation of the rules',
    command: 'node',
    // A leader that trades for longer is liquidated so often that copies by equity become too large for any book.
    args: ['tooling/oracle/main.mjs', '--perpetual', '--decisions', '1250', '--days', '4', '--seed', '85'],
    limitMinutes: 40,
  },
  {
    name: 'oracle-planted',
    about:
      'faults of the rules, each planted in a copy of the workspace; the oracle must find it within 200 decisions',
    command: 'node',
    args: ['tooling/oracle/planted.mjs'],
  },
  {
    name: 'planted-perpetual',
    about:
      'faults of the rules on perpetuals, each planted in a copy of the workspace; the oracle must find it',
    command: 'node',
    args: ['tooling/oracle/planted.mjs', '--perpetual'],
    limitMinutes: 60,
  },
  {
    name: 'reference-clients',
    about: 'clients that four generators make of the REST reference, each compiled',
    command: 'node',
    args: ['tooling/reference-clients/main.mjs'],
  },
  {
    name: 'properties',
    about: 'the property tests of rules and codecs, with ten times as many generated cases',
    command: 'node',
    args: [
      'node_modules/jest/bin/jest.js',
      '--ci',
      `--maxWorkers=${Math.min(availableParallelism(), 4)}`,
      '--testTimeout=900000',
    ],
    env: {
      PROPERTY_DRAWS: '10',
      TEST_BROWSER: '',
      TEST_KEYRING: '',
      NODE_OPTIONS: jestNodeOptions,
    },
  },
  {
    name: 'planted-faults',
    about: 'small defects in a copy of the workspace, each of which a test has to find',
    command: 'node',
    args: ['tooling/planted-faults/main.mjs', '--as-built'],
  },
  {
    name: 'removed-defences',
    about: 'each defence of a table removed from a copy of the workspace; a test has to fail',
    command: 'node',
    args: ['tooling/defences/main.mjs', '--as-built'],
    limitMinutes: 65,
  },
  {
    name: 'mutants',
    about: 'every expression of the rules replaced, one at a time; a unit test has to fail',
    command: 'node',
    args: ['tooling/mutants/main.mjs', '--as-built'],
  },
  {
    name: 'fuzz',
    about: 'the generated requests to the API, four times as many as in npm test',
    command: 'node',
    args: ['node_modules/jest/bin/jest.js', '--ci', '--testTimeout=900000', 'proofs/fuzz.int.spec'],
    env: {
      FUZZ_RUNS: '40000',
      TEST_BROWSER: '',
      TEST_KEYRING: '',
      NODE_OPTIONS: jestNodeOptions,
    },
  },
  {
    name: 'page-states',
    about: 'every page of the dashboard in each of its states, in both themes and widths, checked with axe',
    command: 'node',
    args: [
      'node_modules/jest/bin/jest.js',
      '--ci',
      '--testTimeout=900000',
      'tooling/e2e/dashboard/axe.browser.e2e.spec',
    ],
    env: { ALL_PAGE_STATES: 'true', TEST_KEYRING: '', NODE_OPTIONS: jestNodeOptions },
    limitMinutes: 60,
  },
  {
    name: 'rollout',
    about:
      'the previous release beside this one on the same database and Redis, while users trade through both',
    command: 'node',
    args: ['tooling/e2e/rollout/main.mjs'],
  },
  {
    name: 'dashboard',
    about: 'outages of the API, Postgres and Redis under an open page, and the main paths by keyboard alone',
    command: 'node',
    args: ['node_modules/jest/bin/jest.js', '--ci', 'tooling/e2e/dashboard/(?:outages|keyboard)'],
    env: {
      ALL_OUTAGES: 'true',
      NIGHTLY: 'true',
      TEST_KEYRING: '',
      NODE_OPTIONS: jestNodeOptions,
    },
  },
  {
    name: 'docs',
    about: 'the build of the documentation website, which fails on a dead link',
    command: 'npm',
    args: ['run', 'docs:build'],
  },
];

/**
 * Returns the parts with these names. A prefix selects several parts: `faults` selects two.
 *
 * @param {readonly string[]} names all parts if empty
 */
export function partsNamed(names) {
  const isSelectedBy = (/** @type {Part} */ part, /** @type {string} */ name) =>
    part.name === name || part.name.startsWith(`${name}-`);
  const unknown = names.filter((name) => !PARTS.some((part) => isSelectedBy(part, name)));
  if (unknown.length > 0) {
    throw new Error(`unknown part: ${unknown.join(', ')}. Use ${PARTS.map(({ name }) => name).join(', ')}.`);
  }
  return PARTS.filter((part) => names.length === 0 || names.some((name) => isSelectedBy(part, name)));
}
