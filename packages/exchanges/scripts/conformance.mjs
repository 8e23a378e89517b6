/**
 * `pnpm conformance --venue <id> (--sandbox | --real --max-notional <amount>) [--type <trading type>] [--symbol <symbol>]`
 * runs the conformance checks at an exchange and writes `src/venues/<id>/run.json`. Credentials come from
 * CONFORMANCE_API_KEY, CONFORMANCE_API_SECRET and CONFORMANCE_PASSPHRASE. The report has neither ids nor amounts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

const TYPES = ['spot', 'margin', 'perpetual'];
/** @type {Readonly<Record<string, string>>} */
const SYMBOLS = { spot: 'BTC/USDT', margin: 'BTC/USDT', perpetual: 'BTC/USDT:USDT' };
const packageFolder = new URL('..', import.meta.url).pathname;
const root = new URL('../../..', import.meta.url).pathname;
const venues = join(packageFolder, 'src/venues');

/** Prints a problem with the arguments and ends. */
function refuse(/** @type {string} */ problem) {
  console.error(problem);
  process.exit(2);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      venue: { type: 'string' },
      type: { type: 'string', multiple: true },
      symbol: { type: 'string' },
      sandbox: { type: 'boolean', default: false },
      real: { type: 'boolean', default: false },
      'max-notional': { type: 'string' },
    },
  });
  const known = readdirSync(venues, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  if (!known.includes(values.venue ?? '')) refuse(`--venue must be one of ${known.join(', ')}.`);
  if (values.sandbox === values.real) refuse('Name either --sandbox or --real.');
  const limit = values['max-notional'];
  if (values.real && !/^\d{1,6}$/.test(limit ?? '')) refuse('--real needs --max-notional, a whole number.');
  const types = values.type ?? TYPES;
  if (types.some((type) => !TYPES.includes(type))) refuse(`--type must be one of ${TYPES.join(', ')}.`);
  for (const name of ['CONFORMANCE_API_KEY', 'CONFORMANCE_API_SECRET'])
    if (!process.env[name]) refuse(`Set ${name}.`);
  return {
    venue: values.venue ?? '',
    types,
    symbol: values.symbol,
    isSandbox: values.sandbox,
    limit: limit ?? '1000',
  };
}

/** Asks for a typed confirmation before orders with real money are sent. */
async function confirm(/** @type {string} */ venue, /** @type {string} */ limit) {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(
    `This sends real orders of up to ${limit} each to ${venue}. Type the name of the venue to continue: `,
  );
  prompt.close();
  if (answer.trim() !== venue) refuse('Cancelled.');
}

/**
 * Runs the checks of one trading type.
 * @returns {{ type: string, checks: { id: string, passed: boolean }[] }}
 */
function runType(/** @type {ReturnType<typeof readArguments>} */ run, /** @type {string} */ type) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const output = join(folder, 'result.json');
  const file = 'packages/exchanges/conformance/at-exchange.run.ts';
  const args = ['--testMatch', `<rootDir>/${file}`, '--runInBand', '--json', `--outputFile=${output}`];
  spawnSync('node', [join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      CONFORMANCE_VENUE: run.venue,
      CONFORMANCE_TYPE: type,
      CONFORMANCE_SYMBOL: run.symbol ?? SYMBOLS[type],
      CONFORMANCE_SANDBOX: String(run.isSandbox),
      CONFORMANCE_MAX_NOTIONAL: run.limit,
    },
  });
  const results = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true });
  /** @type {{ title: string, status: string }[]} */
  const tests = results.flatMap((/** @type {any} */ { assertionResults }) => assertionResults);
  const checks = tests.map(({ title, status }) => ({
    id: /EX-[A-Z]+-\d+/.exec(title)?.[0] ?? title,
    passed: status === 'passed',
  }));
  return { type, checks };
}

const run = readArguments();
if (!run.isSandbox) await confirm(run.venue, run.limit);
const results = run.types.map((type) => runType(run, type));
for (const { type, checks } of results)
  console.log(`${type}: ${checks.filter(({ passed }) => passed).length} of ${checks.length} checks passed`);
if (!results.some(({ checks }) => checks.some(({ passed }) => passed)))
  refuse('No check passed, so nothing is recorded. Check the connection and the credentials.');

/** The trading types that this run did not check keep their results. */
const file = join(venues, run.venue, 'run.json');
const earlier = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { tradingTypes: [], checks: {} };
const hasPassed = (/** @type {{ passed: boolean }[]} */ checks) => checks.every(({ passed }) => passed);
const checks = {
  ...earlier.checks,
  ...Object.fromEntries(results.map(({ type, checks: each }) => [type, each])),
};
const report = {
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
  ccxt: JSON.parse(readFileSync(join(packageFolder, 'node_modules/ccxt/package.json'), 'utf8')).version,
  at: run.isSandbox ? 'sandbox' : 'real',
  tradingTypes: TYPES.filter((type) => checks[type] !== undefined && hasPassed(checks[type])),
  checks,
};
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
console.log(
  `Written to packages/exchanges/src/venues/${run.venue}/run.json. Run \`npm run gen\` and commit both.`,
);
process.exitCode = results.every((each) => hasPassed(each.checks)) ? 0 : 1;
