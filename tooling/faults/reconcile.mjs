import { isSubscribed } from '@trading-automation/contracts';
import { groupBy } from '../launch/group-by.mjs';

/**
 * Compares what had to be delivered with what Postgres recorded and what the receivers got. All counts are of pairs of an
 * event and a webhook, except counts of requests (`requests`, `duplicates`, `unexplained`, `early`, `badSignatures`).
 *
 * @typedef {{
 *   events: number, webhooks: number, expected: number, requests: number,
 *   delivered: number, waiting: number, dead: number, discarded: number,
 *   lost: number, duplicates: number, unexplained: number, early: number, badSignatures: number, bodyVariants: number,
 *   stuck: number, addsUp: boolean,
 * }} Figures
 *   `lost`: neither delivered (a success that no receiver saw does not count) nor dead with a dead letter, discarded or waiting;
 *   `duplicates`: requests whose attempt had already arrived, and requests after a 2xx response;
 *   `unexplained`: duplicates of pairs for which the fault allows none;
 *   `early`: requests before the time that Postgres had stored for them;
 *   `bodyVariants`: the highest number of different bodies of one event; it must be 1;
 *   `stuck`: deliveries that still wait after their due time, or whose lease has ended.
 *
 * @typedef {Pick<import('./receiver.mjs').Received, 'webhookId' | 'eventId' | 'attempt' | 'at' | 'bodyHash' | 'verified'>
 *   & { status?: number | undefined }} Receipt
 *
 * @typedef {{
 *   webhook: string, event: string, run: number, status: string, hasDeadLetter: boolean, isOverdue: boolean,
 *   nextAts: number[],
 * }} DeliveryRow `nextAts`: the earliest times of attempts 2 and up, in Unix milliseconds
 */

/**
 * @param {{
 *   events: Iterable<import('./event-record.mjs').CommittedEvent>,
 *   webhooks: readonly import('./environment.mjs').FaultWebhook[],
 *   rows: readonly DeliveryRow[],
 *   receipts: readonly Receipt[],
 *   explained: ReadonlySet<string>,
 * }} input `explained`: the pairs of which the fault allows duplicates, such as pairs in flight at the kill of a process
 * @returns {Figures}
 */
export function computeFigures({ events, webhooks, rows, receipts, explained }) {
  const expected = [...expectedPairs(events, webhooks)];
  const newest = newestRuns(rows);
  const byPair = groupByPair(receipts);
  const count = { delivered: 0, waiting: 0, dead: 0, discarded: 0, lost: 0 };
  for (const pair of expected) count[fateOf(newest.get(pair), byPair.get(pair) ?? [])]++;
  const { delivered, waiting, dead, discarded, lost } = count;
  return {
    events: new Set(expected.map((pair) => pair.split(' ')[1])).size,
    webhooks: webhooks.length,
    expected: expected.length,
    requests: receipts.length,
    ...count,
    ...countDuplicates(byPair, rows, explained),
    early: countEarly(byPair, newest),
    badSignatures: receipts.filter(({ verified }) => !verified).length,
    bodyVariants: maxBodyVariants(receipts),
    stuck: rows.filter(({ isOverdue }) => isOverdue).length,
    addsUp: lost === 0 && expected.length === delivered + waiting + dead + discarded,
  };
}

/**
 * Returns the figures that must be 0 (or within a limit) and are not. Most faults add further violations.
 *
 * @param {Figures} figures
 * @param {{ duplicatesMax?: number }} [allowed] `duplicatesMax`: the number of allowed duplicates; 0 by default
 * @returns {string[]}
 */
export function findViolations(figures, { duplicatesMax = 0 } = {}) {
  const { lost, duplicates, unexplained, early, badSignatures, bodyVariants, stuck, waiting, addsUp } =
    figures;
  const violations = Object.entries({ lost, unexplained, early, badSignatures, stuck, waiting })
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name} ${value}`);
  if (duplicates > duplicatesMax) violations.push(`duplicates ${duplicates} > ${duplicatesMax}`);
  if (bodyVariants > 1) violations.push(`bodyVariants ${bodyVariants}`);
  if (!addsUp) violations.push('the counters do not add up');
  return violations;
}

/**
 * @param {string} webhookId
 * @param {string} eventId
 */
export const pairOf = (webhookId, eventId) => `${webhookId} ${eventId}`;

/**
 * @param {Iterable<import('./event-record.mjs').CommittedEvent>} events
 * @param {readonly import('./environment.mjs').FaultWebhook[]} webhooks
 */
function* expectedPairs(events, webhooks) {
  const byUser = groupBy(webhooks, ({ userId }) => userId);
  for (const event of events) {
    for (const webhook of byUser.get(event.userId) ?? []) {
      const type = /** @type {import('@trading-automation/contracts').EventType} */ (event.type);
      if (isSubscribed(webhook.events, type)) yield pairOf(webhook.publicId, event.publicId);
    }
  }
}

/**
 * @param {readonly DeliveryRow[]} rows
 * @returns {Map<string, DeliveryRow>} the latest run of each pair
 */
function newestRuns(rows) {
  const newest = new Map();
  for (const row of rows) {
    const pair = pairOf(row.webhook, row.event);
    if ((newest.get(pair)?.run ?? -1) < row.run) newest.set(pair, row);
  }
  return newest;
}

/**
 * @param {readonly Receipt[]} receipts
 * @returns {Map<string, Receipt[]>}
 */
const groupByPair = (receipts) => groupBy(receipts, ({ webhookId, eventId }) => pairOf(webhookId, eventId));

/**
 * @param {DeliveryRow | undefined} row
 * @param {readonly Receipt[]} receipts
 */
function fateOf(row, receipts) {
  switch (row?.status) {
    case 'SUCCEEDED':
      return receipts.some(wasAccepted) ? 'delivered' : 'lost';
    case 'DUE':
    case 'SENDING':
      return 'waiting';
    case 'DEAD':
      return row.hasDeadLetter ? 'dead' : 'lost';
    case 'DISCARDED':
      return 'discarded';
    default:
      return 'lost';
  }
}

/** A missing response status counts as a success. @param {Receipt} receipt */
const wasAccepted = ({ status = 200 }) => status >= 200 && status < 300;

/**
 * Counts the duplicates. Each later run (a retry or replay) starts at attempt 1, so up to five more requests per run
 * are no duplicates.
 *
 * @param {ReadonlyMap<string, Receipt[]>} byPair
 * @param {readonly DeliveryRow[]} rows
 * @param {ReadonlySet<string>} explained
 */
function countDuplicates(byPair, rows, explained) {
  const runs = groupBy(rows, ({ webhook, event }) => pairOf(webhook, event));
  let duplicates = 0;
  let unexplained = 0;
  for (const [pair, receipts] of byPair) {
    const runCount = new Set((runs.get(pair) ?? []).map(({ run }) => run)).size;
    const extra = Math.max(0, countExtraRequests(receipts) - Math.max(0, runCount - 1) * 5);
    duplicates += extra;
    if (!explained.has(pair)) unexplained += extra;
  }
  return { duplicates, unexplained };
}

/** @param {readonly Receipt[]} receipts of one pair, in order of arrival */
function countExtraRequests(receipts) {
  const attempts = new Set();
  let isAccepted = false;
  let extra = 0;
  for (const receipt of receipts) {
    if (isAccepted || attempts.has(receipt.attempt)) extra++;
    attempts.add(receipt.attempt);
    isAccepted ||= receipt.status !== undefined && wasAccepted(receipt);
  }
  return extra;
}

/**
 * Counts requests before their stored time. Both times come from the clock of one machine. Later runs have their own
 * schedule and are not checked.
 *
 * @param {ReadonlyMap<string, Receipt[]>} byPair
 * @param {ReadonlyMap<string, DeliveryRow>} newest
 */
function countEarly(byPair, newest) {
  let early = 0;
  for (const [pair, receipts] of byPair) {
    const row = newest.get(pair);
    const nextAts = row?.run === 0 ? row.nextAts : [];
    for (const { attempt, at } of receipts) {
      const notBefore = nextAts[attempt - 2];
      if (notBefore !== undefined && at < Math.floor(notBefore)) early++;
    }
  }
  return early;
}

/** @param {readonly Receipt[]} receipts */
function maxBodyVariants(receipts) {
  const bodies = groupBy(receipts, ({ eventId }) => eventId);
  let max = 0;
  for (const receiptsOfEvent of bodies.values())
    max = Math.max(max, new Set(receiptsOfEvent.map(({ bodyHash }) => bodyHash)).size);
  return max;
}
