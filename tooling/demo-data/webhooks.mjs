import { isSubscribed } from '@trading-automation/contracts';
import { insertRows } from './insert-rows.mjs';
import { DAY_MS } from './market.mjs';
import { uuidOf } from './people.mjs';
import { createRandom } from './random.mjs';
import { instantOf } from './units.mjs';
import { attemptsOf, RETRIES } from './webhook-attempts.mjs';

/** @typedef {import('@trading-automation/sdk').Client} Api */

/** The days before the end on which the receiver of the failing webhook began to fail, and the last webhook was deactivated. */
const FAILING_DAYS = 3.5;
const DEACTIVATED_DAYS = 12;

/**
 * @typedef {'healthy' | 'failing' | 'deactivated'} Health
 * @typedef {{ id: string, health: Health, events: readonly string[] }} Webhook
 */

const WEBHOOKS = /** @type {const} */ ([
  {
    health: 'healthy',
    url: 'https://hooks.northfield.example/trading',
    description: 'Order desk',
    events: ['trade.*', 'copier.*'],
    age: 92,
  },
  {
    health: 'failing',
    url: 'https://erp.northfield.example/inbound/fills',
    description: 'Accounting import',
    events: ['trade.filled', 'trade.closed', 'withdrawal.*', 'reward.*'],
    age: 70,
  },
  {
    health: 'deactivated',
    url: 'https://old-bot.northfield.example/notify',
    description: 'Chat bot, replaced',
    events: ['trade.closed', 'trade.failed'],
    age: 103,
  },
]);

/**
 * Creates webhooks through the API. They are inactive until `writeDeliveries`, so that past events are not sent.
 *
 * @param {import('pg').Client} database
 * @param {{ demo: Api, end: number, receiverUrl?: string | undefined }} options `receiverUrl`: a receiver for the healthy webhook
 * @returns {Promise<Webhook[]>}
 */
export async function createWebhooks(database, { demo, end, receiverUrl }) {
  const webhooks = [];
  for (const { health, url, description, events, age } of WEBHOOKS) {
    const { id } = await demo.webhooks.create({
      url: health === 'healthy' ? (receiverUrl ?? url) : url,
      description,
      events: [...events],
    });
    const uuid = uuidOf('whk', id);
    const createdAt = instantOf(end - age * DAY_MS);
    await database.query(SET_TIMES, [uuid, createdAt]);
    webhooks.push({ id: uuid, health, events });
  }
  const [, , last] = webhooks;
  await database.query(DEACTIVATE, [last?.id, instantOf(end - DEACTIVATED_DAYS * DAY_MS)]);
  return webhooks;
}

const SET_TIMES = `
  UPDATE webhooks SET is_active = false, created_at = $2, updated_at = $2, secret_last_rotated_at = $2 WHERE id = $1`;

const DEACTIVATE = `
  UPDATE webhooks SET deactivated_at = $2, updated_at = $2, deactivation_reason = 'consecutive_failures',
    consecutive_failures = 10, consecutive_dead_letters = 2 WHERE id = $1`;

/**
 * Writes the deliveries of past events with their attempts and dead letters, and activates the webhooks.
 *
 * @param {import('pg').Client} database
 * @param {{ webhooks: readonly Webhook[], events: readonly import('./events.mjs').PastEvent[], end: number, seed: string }} options
 */
export async function writeDeliveries(database, { webhooks, events, end, seed }) {
  /** @type {Record<'deliveries' | 'attempts' | 'deadLetters', import('./trade-rows.mjs').Row[]>} */
  const rows = { deliveries: [], attempts: [], deadLetters: [] };
  for (const webhook of webhooks) {
    const random = createRandom(`${seed}/webhooks/${webhook.health}`);
    const due = events.filter(
      ({ type, at }) => isSubscribed(webhook.events, type) && isBeforeEnd(webhook, at, end),
    );
    for (const [place, event] of due.entries()) {
      const left = due.length - 1 - place;
      const plan = planOf(webhook, random, { daysAgo: (end - event.at) / DAY_MS, left });
      addDelivery(rows, { webhook, event, random, plan, run: 0 });
      // A user retried some dead letters once the receiver responded again, and discarded others.
      if (plan.resolution === 'RETRIED') {
        const retry = { ...event, at: event.at + DAY_MS / 4 };
        addDelivery(rows, { webhook, event: retry, random, plan: { failures: 0, kinds: [] }, run: 1 });
      }
    }
  }
  await insertRows(database, 'webhook_deliveries', rows.deliveries);
  await insertRows(database, 'webhook_attempts', rows.attempts);
  await insertRows(database, 'webhook_dead_letters', rows.deadLetters);
  await database.query(ACTIVATE, [
    webhooks.filter(({ health }) => health !== 'deactivated').map(({ id }) => id),
  ]);
  await database.query(COUNT_FAILURES, [webhooks.find(({ health }) => health === 'failing')?.id]);
}

const ACTIVATE = 'UPDATE webhooks SET is_active = true WHERE id = ANY ($1)';
/** The last delivery of the failing webhook became a dead letter. */
const COUNT_FAILURES = `
  UPDATE webhooks SET consecutive_failures = ${RETRIES.length}, consecutive_dead_letters = 1 WHERE id = $1`;

/**
 * @param {Webhook} webhook
 * @param {number} at
 * @param {number} end
 */
const isBeforeEnd = ({ health }, at, end) =>
  health !== 'deactivated' || at < end - (DEACTIVATED_DAYS + 0.05) * DAY_MS;

/**
 * How often a delivery fails, and why. With as many failures as attempts are allowed, it becomes a dead letter.
 *
 * @typedef {{ failures: number, kinds: readonly import('./webhook-attempts.mjs').FailureKind[], resolution?: 'PENDING' | 'RETRIED' | 'DISCARDED' }} Plan
 *
 * @param {Webhook} webhook
 * @param {import('./random.mjs').Random} random
 * @param {{ daysAgo: number, left: number }} event `left`: the number of later deliveries
 * @returns {Plan}
 */
function planOf({ health }, random, { daysAgo, left }) {
  if (health === 'healthy') return { failures: random.chance(0.015) ? 1 : 0, kinds: ['unavailable'] };
  if (health === 'deactivated')
    return left < 2
      ? { failures: RETRIES.length, kinds: ['unknownHost'], resolution: left === 1 ? 'DISCARDED' : 'PENDING' }
      : { failures: 0, kinds: [] };
  const kinds = /** @type {const} */ (['serverError', 'timeout', 'rateLimited']);
  if (left === 0) return { failures: RETRIES.length, kinds, resolution: 'PENDING' };
  if (left === 1) return { failures: 2, kinds };
  if (daysAgo > FAILING_DAYS) return { failures: random.chance(0.03) ? 1 : 0, kinds };
  const draw = random.next();
  if (draw > 0.55) return { failures: draw > 0.8 ? 0 : random.integer(1, RETRIES.length - 1), kinds };
  const resolution = draw < 0.08 ? 'DISCARDED' : draw < 0.2 && daysAgo > 1 ? 'RETRIED' : 'PENDING';
  return { failures: RETRIES.length, kinds, resolution };
}

/**
 * @param {Record<'deliveries' | 'attempts' | 'deadLetters', import('./trade-rows.mjs').Row[]>} rows
 * @param {{ webhook: Webhook, event: Pick<import('./events.mjs').PastEvent, 'id' | 'type' | 'at'>, random: import('./random.mjs').Random, plan: Plan, run: number }} options
 */
function addDelivery(rows, { webhook, event, random, plan, run }) {
  const id = random.uuid(event.at);
  const attempts = attemptsOf({ random, at: event.at, failures: plan.failures, kinds: plan.kinds }).map(
    (attempt) => ({
      ...attempt,
      delivery_id: id,
      webhook_id: webhook.id,
      event_type: event.type,
    }),
  );
  const last = attempts.at(-1);
  const isDead = plan.failures === RETRIES.length;
  rows.attempts.push(...attempts);
  rows.deliveries.push({
    id,
    webhook_id: webhook.id,
    event_id: event.id,
    event_type: event.type,
    run,
    status: isDead ? 'DEAD' : 'SUCCEEDED',
    attempts: attempts.length,
    claims: 0,
    is_parked: false,
    created_at: instantOf(event.at),
    updated_at: last?.attempted_at ?? instantOf(event.at),
  });
  if (!isDead || last === undefined) return;
  const { resolution = 'PENDING' } = plan;
  const diedAt = Date.parse(last.attempted_at) + last.response_time_ms;
  const resolvedAt = resolution === 'PENDING' ? null : instantOf(event.at + DAY_MS / 4);
  rows.deadLetters.push({
    id,
    webhook_id: webhook.id,
    event_type: event.type,
    status: resolution,
    attempts: attempts.length,
    last_status_code: last.status_code,
    last_error: last.error,
    last_error_reason: last.error_reason,
    resolved_at: resolvedAt,
    created_at: instantOf(diedAt),
    updated_at: resolvedAt ?? instantOf(diedAt),
  });
}
