import { webhookStats } from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';

let env: WebhooksUnderTest;
let actor: Actor;
let hook: string;
beforeAll(async () => {
  env = await WebhooksUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  actor = await env.core.actor();
  hook = await env.createWebhook(actor);
});

/** Records an attempt to the webhook that took place some hours ago. */
async function attempt(responseTimeMs: number, { hoursAgo = 0, isFailed = false, webhookId = hook } = {}) {
  const id = await env.createDueDelivery(actor, webhookId);
  const result = isFailed ? { error: 'timeout' as const } : { statusCode: 200 };
  await env.deliveries.record(await env.claimAttempt(id), { ...result, responseTimeMs });
  await env.core.rows(
    "UPDATE webhook_attempts SET attempted_at = now() - $2 * interval '1 hour' WHERE delivery_id = $1",
    id,
    hoursAgo,
  );
}

it('the statistics of a webhook count the attempts of the last 24 hours and of the last 7 days', async () => {
  for (let ms = 1; ms <= 20; ms++) await attempt(ms, { isFailed: ms === 20 });
  await attempt(900, { hoursAgo: 23.9 });
  await attempt(30, { hoursAgo: 24.1, isFailed: true });
  await attempt(40, { hoursAgo: 7 * 24 - 0.1 });
  await attempt(50, { hoursAgo: 7 * 24 + 0.1 });
  await attempt(60, { webhookId: await env.createWebhook(actor) });
  const stats = await env.webhooks.stats(actor, hook);
  expect(webhookStats.parse(stats)).toEqual(stats);
  // The 95 % are 20 of 21 attempts, and 22 of 23.
  expect(stats).toEqual({
    last_24_hours: {
      attempts: 21,
      succeeded: 20,
      failed: 1,
      success_rate: '95.24',
      p95_response_time_ms: 20,
    },
    last_7_days: { attempts: 23, succeeded: 21, failed: 2, success_rate: '91.3', p95_response_time_ms: 40 },
  });
});

it('the statistics of a webhook without attempts have no rate and no time', async () => {
  const none = { attempts: 0, succeeded: 0, failed: 0, success_rate: null, p95_response_time_ms: null };
  expect(await env.webhooks.stats(actor, hook)).toEqual({ last_24_hours: none, last_7_days: none });
});

it('the statistics of a webhook are shown only to its owner', async () => {
  await expect(env.webhooks.stats(await env.core.actor(), hook)).rejects.toMatchObject({ code: 'not_found' });
});
