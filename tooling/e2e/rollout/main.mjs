/**
 * Rolls this release out over the previous one, and back: both run on one Postgres and one Redis, while users trade, copy,
 * withdraw, sign in and receive webhooks and events through both APIs.
 *
 *   node tooling/e2e/rollout/main.mjs [--previous <built checkout>] [--verbose]
 *
 * 1. The previous release runs alone, before and after the migration.
 * 2. Both run. Signed requests are refused by this release until used nonces are known (ADR 29), and by no API twice.
 * 3. Only the workers of this release run, then only those of the previous one, as after a rollback.
 * 4. Only this release runs.
 *
 * After each step, both APIs must show every record. At the end, the records must equal those of the exchange: no order was
 * placed twice and none was lost. The exit code is 0 if everything holds.
 */
import { parseArgs } from 'node:util';
import { judge, readRecord } from '../../chaos/audit.mjs';
import { unsettled } from '../../chaos/read-records.mjs';
import { until } from '../../launch/first-trade/scenario.mjs';
import { activities } from './activity.mjs';
import { replay, signedRequestsOf, untilSigned } from './nonces.mjs';
import { openParticipants } from './participants.mjs';
import { preparePreviousRelease } from './previous-release.mjs';
import { pathsOfNewWorkers, readAll, readAllByGraphql, readReference } from './records.mjs';
import { startReleases, workers } from './releases.mjs';

const { values: options } = parseArgs({
  options: { previous: { type: 'string' }, verbose: { type: 'boolean', default: false } },
});
const startedAt = performance.now();
const print = (/** @type {string} */ line) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
/** @type {string[]} */
const problems = [];
const report = (/** @type {string} */ problem) => {
  problems.push(problem);
  print(`PROBLEM ${problem}`);
};

/** The rules of the audit that hold in a rollout; no process is killed in it. */
const JUDGED = ['duplicates', 'lost', 'accounts'];

const previous = await preparePreviousRelease(print, options.previous);
const releases = await startReleases({ previous, print: options.verbose ? print : () => {} });
try {
  await rollOut(releases);
} catch (error) {
  report(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  await releases.stop();
}
print(problems.length === 0 ? 'The rollout has no problem.' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

/** @param {import('./releases.mjs').Releases} releases */
async function rollOut({ old, new: next, databaseUrl, paperExchangeUrl }) {
  /** @type {import('./participants.mjs').Participants[]} */
  const all = [];
  const join = async (
    /** @type {import('./releases.mjs').Release} */ release,
    /** @type {string} */ label,
  ) => {
    all.push(await openParticipants(release, paperExchangeUrl, label));
  };
  /**
   * @param {string} step
   * @param {readonly (readonly [import('./releases.mjs').Release, import('./releases.mjs').Release])[]} pairs
   * @param {readonly string[]} [unavailable] the paths of this release that no running worker serves
   */
  const exercise = async (step, pairs, unavailable = []) => {
    print(step);
    for (const [first, second] of pairs)
      for (const participants of all)
        for (const [name, activity] of Object.entries(activities))
          await activity(participants, first, second).catch((error) =>
            report(
              `${step}: ${name} of "${participants.label}", ${first.name} then ${second.name}: ${error.message}`,
            ),
          );
    for (const api of new Set(pairs.flat()))
      for (const { leader, follower } of all)
        for (const { apiKey, privateKey } of [leader, follower]) {
          const reads = [
            readAll(api, apiKey, api === next ? unavailable : []),
            ...(api.isHeld ? [] : [readAllByGraphql(api, privateKey)]),
          ];
          for (const { responses, failures } of await Promise.all(reads)) {
            if (responses === 0) report(`${step}: nothing was read of ${api.name}`);
            for (const failure of failures) report(`${step}: ${failure}`);
          }
        }
  };

  await old.migrate();
  await old.start();
  await join(old, 'before the rollout');
  await exercise('the previous release', [[old, old]]);
  await next.migrate();
  await join(old, 'after the migration');
  await exercise('the previous release on the new schema', [[old, old]]);

  const { paths } = await readReference(old);
  for (const path of pathsOfNewWorkers)
    if (path in paths) report(`the previous release has ${path}: remove it from pathsOfNewWorkers`);
  await next.start();
  const { privateKey } = /** @type {import('./participants.mjs').Participants} */ (all[0]).leader;
  const during = await replay(privateKey, old, next);
  if (during.join() !== 'ok,service_unavailable') report(`signed requests during the hold: ${during.join()}`);
  next.isHeld = true;
  const held = await signedRequestsOf(next);
  if (held !== 'degraded') report(`the health of signed requests during the hold: ${held}`);
  const both = /** @type {const} */ ([
    [old, next],
    [next, old],
  ]);
  await exercise('both releases', both);
  print(`this release accepts signed requests ${await untilSigned(privateKey, next)} s later`);
  next.isHeld = false;
  const accepted = await signedRequestsOf(next);
  if (accepted !== 'ok') report(`the health of signed requests after the hold: ${accepted}`);
  for (const [first, second] of both) {
    const codes = await replay(privateKey, first, second);
    if (codes.join() !== 'ok,nonce_replayed') report(`a request sent to both APIs: ${codes.join()}`);
  }
  await join(next, 'during the rollout');
  await old.stop(workers);
  await exercise('workers of this release, both APIs', both);
  await next.stop(workers);
  await old.start(workers);
  await exercise('workers of the previous release, both APIs', both, pathsOfNewWorkers);
  await next.start(workers);
  await old.stop();
  await exercise('this release', [[next, next]]);

  await until(
    () => unsettled(databaseUrl),
    (counts) => Object.values(counts).every((count) => count === 0),
    60_000,
  );
  const { record, figures } = await readRecord(
    { databaseUrl, paperExchangeUrl },
    {
      accounts: all.flatMap(({ leader, follower }) => [leader.account, follower.account]),
      copiers: all.map(({ copierId: id }) => ({ id })),
    },
    { lives: [], exitFindings: [], crashes: [], unanswered: new Map() },
  );
  for (const { id, findings } of judge(record)) if (JUDGED.includes(id)) findings.forEach(report);
  print(JSON.stringify(figures));
  for (const { label, receiver } of all) {
    const ids = receiver.received.map(({ event }) => event.event_id ?? event.id);
    const repeated = ids.length - new Set(ids).size;
    print(`webhooks of "${label}": ${ids.length} received, ${repeated} of them twice`);
    if (repeated > 0) report(`${repeated} webhooks of "${label}" arrived twice`);
    await receiver.stop();
  }
}
