import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/paths.mjs';

/**
 * The areas whose rules are mutated.
 *
 * `files`: what is mutated. `specs`: the unit specs that run for each mutant. `folders`: every rules file in one of them
 * belongs to the area. Paths are relative to the root folder.
 *
 * @typedef {{
 *   name: string, about: string, folders: readonly string[], files: readonly string[], specs: readonly string[],
 * }} Area
 */

const inFolder = (/** @type {string} */ folder, /** @type {string[]} */ ...names) =>
  names.map((name) => `${folder}/${name}.ts`);

const signedRequest = 'packages/signed-request/src';
const access = 'packages/core/src/access';
const copiers = 'packages/core/src/copiers';
const funding = 'packages/core/src/funding';
const lots = 'packages/core/src/trades/lots';
const positions = 'packages/core/src/positions';
const tradePairs = 'packages/core/src/trade-pairs';
const webhooks = 'packages/core/src/webhooks';
const dispatcher = 'apps/webhook-dispatcher/src/delivery';

/** @type {readonly Area[]} */
export const AREAS = [
  {
    name: 'signed-request',
    about: 'signatures of requests and webhooks',
    folders: [signedRequest],
    files: inFolder(
      signedRequest,
      ...['canonical-string', 'constant-time', 'encoding', 'engine', 'keys', 'lru-cache'],
      ...['message-signature', 'replay-window', 'sign-request', 'signature-headers', 'verify-request'],
      ...['webhook-message', 'webhooks'],
    ),
    specs: inFolder(
      signedRequest,
      ...['constant-time.spec', 'engine.spec', 'keys.spec', 'lru-cache.spec', 'replay-window.spec'],
      ...['sign-request.spec', 'signature-headers.spec', 'vectors.spec', 'verify-request.spec'],
      ...['webhooks.spec', 'webhooks-web-crypto.spec'],
    ),
  },
  {
    name: 'access',
    about: 'rights of credentials, addresses, nonces and rates',
    folders: [access],
    files: inFolder(
      access,
      ...['address-allowlist.rules', 'api-key', 'child-rights.rules', 'mailbox.rules', 'nonce-epoch.rules'],
      'rate-buckets',
    ),
    specs: inFolder(
      access,
      ...['access.spec', 'api-key.spec', 'child-rights.rules.spec', 'mailbox.rules.spec'],
      ...['nonce-epoch.rules.spec', 'rate-buckets.spec'],
    ),
  },
  {
    name: 'egress',
    about: 'addresses that outbound calls may reach',
    folders: [],
    files: [
      `${webhooks}/egress.ts`,
      `${dispatcher}/egress-firewall.ts`,
      'packages/exchanges/src/ccxt/egress.ts',
    ],
    specs: [
      `${webhooks}/egress.spec.ts`,
      `${dispatcher}/egress-firewall.spec.ts`,
      'packages/exchanges/src/ccxt/egress.spec.ts',
    ],
  },
  {
    name: 'json',
    about: 'decimals and JSON as they are read from bodies, from the database and from exchanges',
    folders: [],
    files: [
      ...inFolder('packages/contracts/src', 'decimal', 'decimal-bounds', 'stored-json', 'stored-value'),
      'packages/exchanges/src/ccxt/json.ts',
      'packages/runtime/src/http/json-body.ts',
    ],
    specs: [
      ...inFolder('packages/contracts/src', 'decimal.spec', 'stored-json.spec', 'stored-value.spec'),
      'packages/exchanges/src/ccxt/json.spec.ts',
      'packages/runtime/src/http/json-body.spec.ts',
    ],
  },
  {
    name: 'planning',
    about: 'what a copier does about a signal',
    folders: [copiers],
    files: [
      ...inFolder(copiers, 'copier.rules', 'profit-share-terms.rules', 'tracking.rules'),
      ...inFolder(`${copiers}/copying`, 'book-mid.rules', 'settlement.rules'),
      ...inFolder(
        `${copiers}/planning`,
        ...[
          'coarse-signal.rules',
          'copied-lot.rules',
          'drawdown.rules',
          'entry-checks.rules',
          'entry-plan.rules',
          'exit-plan.rules',
        ],
        ...[
          'fraction.rules',
          'masked-plan.rules',
          'pair-choice.rules',
          'perfect-copy.rules',
          'plan.rules',
          'planned-signal',
          'sellable.rules',
          'sizing.rules',
        ],
      ),
    ],
    specs: [
      ...inFolder(copiers, 'copier.rules.spec', 'profit-share-terms.rules.spec', 'tracking.rules.spec'),
      ...inFolder(`${copiers}/copying`, 'book-mid.rules.spec', 'settlement.rules.spec'),
      ...inFolder(`${copiers}/simulation`, 'coarse-signal.rules.spec'),
      ...inFolder(
        `${copiers}/planning`,
        ...[
          'drawdown.rules.spec',
          'entry-plans.spec',
          'exit-plans.spec',
          'fraction.rules.spec',
          'masked-plan.rules.spec',
        ],
        ...[
          'pair-choice.rules.spec',
          'perfect-copy.spec',
          'perpetual-plans.spec',
          'plan-details.spec',
          'planned-signal.spec',
          'sellable.spec',
        ],
      ),
    ],
  },
  {
    name: 'lots',
    about: 'lots, their profit, and the signals that they cause',
    folders: [lots],
    files: inFolder(
      lots,
      'booking.rules',
      'funding.rules',
      'lot-signals.rules',
      'lots.rules',
      'merge-signals.rules',
    ),
    specs: inFolder(
      lots,
      ...[
        'booking.rules.spec',
        'funding.rules.spec',
        'late-lot-signals.spec',
        'lot-signals.rules.spec',
        'lots.rules.spec',
        'merge-signals.rules.spec',
      ],
    ),
  },
  {
    name: 'funding',
    about: 'when funding is read',
    folders: [funding],
    files: inFolder(funding, 'funding-schedule.rules'),
    specs: inFolder(funding, 'funding-schedule.rules.spec'),
  },
  {
    name: 'market-data',
    about: 'the change of a price, the range of candles, and pairs that an exchange replaces',
    folders: [tradePairs],
    files: inFolder(tradePairs, 'market-data.rules', 'pair-changes.rules'),
    specs: inFolder(tradePairs, 'market-data.rules.spec', 'pair-changes.rules.spec'),
  },
  {
    name: 'positions',
    about: 'changes of positions, and margin calls',
    folders: [positions],
    files: inFolder(positions, 'position.rules'),
    specs: inFolder(positions, 'position.rules.spec'),
  },
  {
    name: 'delivery',
    about: 'attempts, retries and signatures of webhooks',
    folders: [webhooks],
    files: [`${webhooks}/delivery.rules.ts`, `${dispatcher}/signature.ts`],
    specs: [`${webhooks}/delivery.rules.spec.ts`, `${dispatcher}/signature.spec.ts`],
  },
];

/** One small file, which `npm test` checks in every run. */
export const SAMPLE = { area: 'delivery', file: `${webhooks}/delivery.rules.ts` };

/** Rules files outside the areas, each with what holds it instead. */
const OUTSIDE = /** @type {const} */ ({
  'packages/core/src/analytics/': 'figures, which tooling/oracle computes a second time',
  'packages/core/src/performance/': 'figures, which tooling/oracle computes a second time',
  'packages/core/src/exchange-accounts/': 'balances, whose properties the specs of trades check on Postgres',
  'packages/core/src/mail/': 'the text of mails',
  'packages/core/src/notifications/': 'the text of notifications',
  'packages/core/src/rewards/': 'profit shares, which tooling/oracle computes a second time',
  'packages/core/src/strategies/': 'the privacy of leaders, which its own spec checks field by field',
  'packages/core/src/trades/': 'orders, whose table of transitions the specs check in full',
  'packages/core/src/withdrawals/': 'withdrawals, which specs check on Postgres',
  'packages/sdk/src/': 'the client; it decides nothing about money or access',
  'apps/dashboard/src/': 'what pages estimate and say; the API decides about money and access',
  'apps/paper-exchange/src/': 'an exchange for tests',
});

/**
 * Returns the rules files that the areas forget: those in a folder of an area that the area does not list, and those that
 * belong to no area and to no entry of `OUTSIDE`.
 *
 * @param {readonly string[]} files the source files of the repository
 * @param {readonly Area[]} [areas]
 */
export function forgottenFiles(files, areas = AREAS) {
  const mutated = new Set(areas.flatMap((area) => area.files));
  const folders = areas.flatMap((area) => area.folders.map((folder) => `${folder}/`));
  return files.filter(
    (file) =>
      file.endsWith('.rules.ts') &&
      !mutated.has(file) &&
      (folders.some((folder) => file.startsWith(folder)) ||
        !Object.keys(OUTSIDE).some((folder) => file.startsWith(folder))),
  );
}

/** Returns the paths of the TypeScript sources of all packages and apps. */
export function sourceFiles() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => {
      const folder = `${group}/${name}/src`;
      return readdirSync(join(root, folder), { recursive: true })
        .map((file) => `${folder}/${file}`)
        .filter((file) => file.endsWith('.ts'));
    }),
  );
}

/**
 * Returns the areas with these names.
 *
 * @param {readonly string[]} names all areas if empty
 * @throws {Error} if an area does not exist
 */
export function areasNamed(names) {
  const unknown = names.filter((name) => !AREAS.some((area) => area.name === name));
  if (unknown.length > 0)
    throw new Error(`unknown area: ${unknown.join(', ')}. Use ${AREAS.map(({ name }) => name).join(', ')}.`);
  return AREAS.filter(({ name }) => names.length === 0 || names.includes(name));
}
