/** Computes how many idle accounts one address carries at each venue, from calls that it records in the same run. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tariffFigures } from './tariff-figures.mjs';

const root = new URL('..', import.meta.url).pathname;
const RUN = 'apps/trading-worker/src/testing/idle-account.run.ts';
/** The largest number of accounts that the other part of this benchmark connects. */
const TARGET = 2_000;

/** @param {string} name a venue, or `all` */
export function runTariff(name) {
  const folder = join(root, 'packages/exchanges/src/venues');
  const known = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const venues = name === 'all' ? known : [name];
  if (!venues.every((venue) => known.includes(venue)))
    throw new Error(`--tariff must be all or one of ${known.join(', ')}; got ${name}.`);
  const figures = recordCalls(venues).map(tariffFigures);
  printTable(figures.map(idleRow));
  printTable(figures.filter(({ holding }) => holding !== undefined).map(holdingRow));
  for (const { venue, tradingType, accounts } of figures.filter((each) => each.accounts < TARGET))
    console.log(
      `${venue} ${tradingType}: ${number(accounts)} idle accounts (target ≥ ${number(TARGET)}: MISSED)`,
    );
}

/** Records the calls with the sources of the worker, because the scripted exchange is not built. */
function recordCalls(venues) {
  const folder = mkdtempSync(join(tmpdir(), 'tariff-'));
  const output = join(folder, 'calls.jsonl');
  const args = ['--testMatch', `<rootDir>/${RUN}`, '--runInBand', '--forceExit'];
  const { status } = spawnSync('node', [join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      // This run needs no packages of the SDK.
      TEST_PACKED_SDK: '',
      TARIFF_VENUES: venues.join(','),
      TARIFF_OUTPUT: output,
    },
  });
  const text = existsSync(output) ? readFileSync(output, 'utf8') : '';
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error('The calls of an account could not be recorded.');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const number = (value) => Math.round(value).toLocaleString('en');
const percent = (value) => `${(value * 100).toFixed(0)} %`;

const idleRow = (figures) => ({
  Venue: figures.venue,
  Type: figures.tradingType,
  'Limit a minute': number(figures.weightPerMinute),
  Connection: number(figures.connection),
  Rotation: number(figures.rotation),
  'Account and day': number(figures.day),
  Accounts: number(figures.accounts),
  'Limited by': figures.limitedBy,
  'Of 2,000': (figures.accounts / TARGET).toFixed(2),
  'Of the limit': percent(figures.share),
  'Connected, min': number(figures.connected),
  'Compared, min': number(figures.compared),
  'Of account limit': figures.ofAccountLimit === undefined ? '' : percent(figures.ofAccountLimit),
});

const holdingRow = ({ venue, tradingType, accounts, holding }) => ({
  Venue: venue,
  Type: tradingType,
  'Account and day': number(holding.day),
  Accounts: number(holding.accounts),
  'Of idle': (holding.accounts / accounts).toFixed(3),
});

/** Prints rows as a table in Markdown. */
function printTable(rows) {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const widths = names.map((name) =>
    Math.max(...[name, ...rows.map((row) => row[name])].map((text) => text.length)),
  );
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  console.log(line(names));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(names.map((name) => row[name])));
  console.log();
}
