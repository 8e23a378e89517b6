/**
 * Runs the benchmarks of two built checkouts alternately, and prints every figure and the ratio of the medians:
 *
 *   node bench/compare-releases.mjs <old checkout> <new checkout> [--rounds 5] [--only copy]
 *
 * The benchmarks measure a product and a baseline in one run; `of baseline` is their ratio. It depends less on other load
 * than the rate does. A figure is marked WORSE if the ratio of its medians is below 0.95 and all values of the new
 * release are below those of the old release.
 */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Matches the rate and the ratio to the baseline in the output of each benchmark, in old and new releases. */
const BENCHMARKS = [
  {
    name: 'list',
    args: ['rest.mjs', 'list'],
    rate: /^signed +([\d,]+)/m,
    ofBaseline: /^signed .* ([\d.]+)$/m,
  },
  {
    name: 'create',
    args: ['rest.mjs', 'create'],
    rate: /^signed +([\d,]+)/m,
    ofBaseline: /^signed .* ([\d.]+)$/m,
  },
  {
    name: 'graphql',
    args: ['graphql.mjs', 'list'],
    rate: /^signed +([\d,]+)/m,
    ofBaseline: /^of bare: ([\d.]+)/m,
  },
  {
    name: 'copy',
    args: ['copy.mjs', '--rounds', '3', '--rounds-of-10000', '0'],
    rate: /│ +entries +│.*'([\d,]+)' +│ +'[\d,]+' +│$/m,
    ofBaseline: /^filled, of the bare loop: ([\d.]+)/m,
  },
  {
    name: 'webhooks',
    args: ['webhooks.mjs', '--rounds', '3', '--seconds', '1'],
    rate: /│ +(?:ours|product) +│ +'([\d,]+)'/m,
    ofBaseline: /^(?:relative to BullMQ, including|of the BullMQ loop, jobs added within) .*: ([\d.]+)/m,
  },
];
const RATIO_MIN = 0.95;

/** @param {readonly number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs one benchmark in a checkout. @throws {Error} if the output lacks a figure */
function measure(checkout, { name, args: [file, ...args], rate, ofBaseline }) {
  const output = execFileSync('node', [join(checkout, 'bench', file), ...args], {
    cwd: checkout,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
  const figure = (pattern) => {
    const text = output
      .match(pattern)
      ?.slice(1)
      .find((group) => group !== undefined);
    if (text === undefined)
      throw new Error(`The output of ${name} in ${checkout} has no ${pattern}:\n${output}`);
    return Number(text.replaceAll(',', ''));
  };
  return { rate: figure(rate), ofBaseline: figure(ofBaseline) };
}

function report(name, before, after) {
  for (const key of ['rate', 'ofBaseline']) {
    const [old, current] = [before, after].map((runs) => runs.map((run) => run[key]));
    const ratio = median(current) / median(old);
    const isWorse = ratio < RATIO_MIN && Math.max(...current) < Math.min(...old);
    const label = key === 'rate' ? 'a second' : 'of baseline';
    console.log(
      `${name.padEnd(9)} ${label.padEnd(12)} old ${old.join(' ')} | new ${current.join(' ')} | ratio of medians ${ratio.toFixed(3)}${isWorse ? ' WORSE' : ''}`,
    );
  }
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', multiple: true } },
});
const [oldCheckout, newCheckout] = positionals.map((path) => resolve(path));
if (newCheckout === undefined)
  throw new Error('Name two built checkouts: the old release, then the new release.');
for (const benchmark of BENCHMARKS.filter(({ name }) => options.only?.includes(name) ?? true)) {
  const [before, after] = [[], []];
  for (let round = 0; round < Number(options.rounds); round++) {
    before.push(measure(oldCheckout, benchmark));
    after.push(measure(newCheckout, benchmark));
  }
  report(benchmark.name, before, after);
}
