/** Prints the results of `fairness.mjs`. */
import { cpus } from 'node:os';
import { MEASURED } from './fairness-user.mjs';
import { pacedCount } from './fairness-works.mjs';
import { quantile } from './rest-load.mjs';

const RATIO_MAX = 2;
/** Fewer samples have no 99th percentile other than nearly their maximum. */
const SAMPLES_MIN = 200;
/** How much the load of the second quiet user may differ from what the presser was served, as a share and in requests. */
const LOAD_DIFFERENCE = { share: 0.1, requests: 2 };
const HALVES = ['second', 'presser'];

const p99 = (times) => quantile(times, 0.99);
const ratioOf = ({ presser, second }, kind) => p99(presser.times[kind]) / p99(second.times[kind]);
const sumOf = (rounds, half, kind, name) =>
  rounds.reduce((total, round) => total + (round[half].counts[kind]?.[name] ?? 0), 0);

/** Prints the ratios of one round, and what the presser was served and refused. */
export function reportRound(number, round) {
  console.error(
    `round ${number}: ${MEASURED.map((kind) => `${kind} ${ratioOf(round, kind).toFixed(2)}`).join(', ')}`,
  );
  for (const half of HALVES) {
    const { times } = round[half];
    const quantiles = MEASURED.map(
      (kind) => `${kind} ${quantile(times[kind], 0.5).toFixed(0)}/${p99(times[kind]).toFixed(0)}`,
    );
    console.error(`  beside the ${half}, p50/p99 in ms: ${quantiles.join(', ')}`);
    const counts = Object.entries(round[half].counts).map(
      ([kind, { served, refused, failed }]) => `${kind} ${served}/${refused}/${failed}`,
    );
    console.error(`  the ${half} served/refused/failed: ${counts.join(', ')}`);
    console.error(`  the ${half} reached the limits: ${round[half].reached.join(', ') || 'none'}`);
  }
}

/**
 * Prints the medians of all rounds.
 *
 * @returns whether each ratio is kept, the presser reached each limit, and the second quiet user had the same load
 */
export function report(rounds, seconds) {
  const [cpu] = cpus();
  console.log(`${cpu?.model.trim()} x ${cpus().length}, Node ${process.version}`);
  console.log(
    `p99 of a quiet user in ms; median of ${rounds.length} interleaved rounds of 2 times ${seconds} s\n`,
  );
  console.log(
    '            beside a quiet user   beside the presser   ratio   samples   p99 of all rounds, ratio',
  );
  const ratios = MEASURED.map((kind) => reportRatio(rounds, kind));
  console.log(
    '\n                      presser: served   refused   failed   second quiet user: served   refused',
  );
  const kinds = Object.keys(rounds[0].presser.counts);
  const loads = kinds.map((kind) => reportLoad(rounds, kind));
  return [...ratios, ...loads].every(Boolean);
}

function reportRatio(rounds, kind) {
  const medianOf = (half) =>
    quantile(
      rounds.map((round) => p99(round[half].times[kind])),
      0.5,
    );
  const ratios = rounds.map((round) => ratioOf(round, kind));
  const ratio = quantile(ratios, 0.5);
  const [second, presser] = HALVES.map((half) => rounds.flatMap((round) => round[half].times[kind]));
  const samples = Math.min(second.length, presser.length);
  const isKept = ratio <= RATIO_MAX;
  console.log(
    `${kind.padEnd(12)}${medianOf('second').toFixed(1).padStart(19)}${medianOf('presser').toFixed(1).padStart(21)}` +
      `${ratio.toFixed(2).padStart(8)}${String(samples).padStart(10)}` +
      `   ${p99(second).toFixed(1)} and ${p99(presser).toFixed(1)}, ${(p99(presser) / p99(second)).toFixed(2)}` +
      `   (limit ${RATIO_MAX}: ${isKept ? 'kept' : 'missed'}; rounds ${ratios.map((each) => each.toFixed(2)).join(', ')}` +
      `${samples < SAMPLES_MIN ? `; with ${samples} samples, the p99 is close to the maximum` : ''})`,
  );
  return isKept;
}

function reportLoad(rounds, kind) {
  const sum = (half, name) => sumOf(rounds, half, kind, name);
  const cell = (half, name, width) => String(sum(half, name)).padStart(width);
  // The second quiet user sends a cancellation for each creation.
  const wantedKind = kind === 'cancel' ? 'create' : kind;
  const wanted = rounds.reduce(
    (total, { second }) => total + pacedCount(wantedKind, second.wanted[wantedKind].served),
    0,
  );
  const difference = Math.abs(sum('second', 'served') - wanted);
  const problems = [
    ...(rounds.every((round) => round.presser.counts[kind].refused > 0) ? [] : ['no refusal in a round']),
    ...(sum('second', 'refused') === 0 ? [] : ['the second quiet user was refused']),
    ...(difference <= Math.max(LOAD_DIFFERENCE.share * wanted, LOAD_DIFFERENCE.requests * rounds.length)
      ? []
      : [`the second quiet user should have sent ${wanted}`]),
  ];
  console.log(
    `${kind.padEnd(22)}${cell('presser', 'served', 15)}${cell('presser', 'refused', 10)}${cell('presser', 'failed', 9)}` +
      `${cell('second', 'served', 28)}${cell('second', 'refused', 10)}${problems.map((each) => `   ${each}`).join('')}`,
  );
  return problems.length === 0;
}
