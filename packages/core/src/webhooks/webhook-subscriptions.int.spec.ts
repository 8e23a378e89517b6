import { decodeId, EVENT_SELECTORS, EVENT_TYPES, expandEventSelector } from '@trading-automation/contracts';
import type { Relay } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { Actor } from '../operations/index.js';

import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

let env: WebhooksUnderTest;
let relay: Pick<Relay, 'stop'>;
const errors: unknown[] = [];
beforeAll(async () => {
  env = await WebhooksUnderTest.open();
  relay = new WebhookFanOut(env.core.platform).start((error) => errors.push(error));
});
afterAll(async () => {
  await relay.stop();
  await env.close();
  expect(errors).toEqual([]);
});

const deliveriesTo = async (hook: string) => {
  const rows = await env.core.rows(
    'SELECT event_id, event_type FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY event_id',
    decodeId('whk', hook),
  );
  return rows.map(({ event_id, event_type }) => ({ uuid: String(event_id), type: String(event_type) }));
};

/**
 * Resolves once the fan-out has handled all events that were committed before the call. Emits a final event and waits
 * until that event reaches a webhook that subscribes to all types.
 */
async function waitForFanOut(actor: Actor): Promise<void> {
  const finalWebhook = await env.createWebhook(actor);
  const { uuid } = await env.emit(actor);
  await eventually(async () => (await deliveriesTo(finalWebhook)).some((delivery) => delivery.uuid === uuid));
  await env.webhooks.delete(actor, finalWebhook);
}

describe('a subscription', () => {
  it('to any selector receives exactly once each event whose type the selector covers, and no other event', async () => {
    const actor = await env.core.actor();
    const hooks = new Map<string, string>();
    for (const selector of EVENT_SELECTORS) hooks.set(selector, await env.createWebhook(actor, [selector]));
    const emitted = new Map<string, string>();
    for (const type of EVENT_TYPES) emitted.set(type, (await env.emit(actor, { type })).uuid);
    await waitForFanOut(actor);
    for (const [selector, hook] of hooks) {
      const received = (await deliveriesTo(hook)).filter(({ uuid, type }) => emitted.get(type) === uuid);
      expect([selector, received.map(({ type }) => type).sort()]).toEqual([
        selector,
        [...expandEventSelector(selector)].sort(),
      ]);
    }
  });

  it('to several selectors that cover the same type receives an event of that type once', async () => {
    const actor = await env.core.actor();
    const hook = await env.createWebhook(actor, ['*', 'trade.*', 'trade.filled']);
    const { uuid } = await env.emit(actor, { type: 'trade.filled' });
    await waitForFanOut(actor);
    expect((await deliveriesTo(hook)).filter((delivery) => delivery.uuid === uuid)).toHaveLength(1);
  });

  it("never covers another user's events", async () => {
    const [actor, other] = [await env.core.actor(), await env.core.actor()];
    const hook = await env.createWebhook(actor);
    const { uuid } = await env.emit(other);
    await waitForFanOut(other);
    expect((await deliveriesTo(hook)).filter((delivery) => delivery.uuid === uuid)).toEqual([]);
  });

  it('that is changed applies to every event that is committed after the change', async () => {
    const actor = await env.core.actor();
    const hook = await env.createWebhook(actor, ['trade.*']);
    const expected: string[] = [];
    for (let round = 0; round < 10; round++) {
      const selector = round % 2 === 0 ? 'reward.*' : 'trade.filled';
      await env.webhooks.update(actor, hook, { events: [selector] });
      for (const type of ['trade.filled', 'reward.granted'] as const) {
        const { uuid } = await env.emit(actor, { type });
        if (expandEventSelector(selector).includes(type)) expected.push(uuid);
      }
      // Without this wait, the next change would also apply to events that are not fanned out yet.
      await waitForFanOut(actor);
    }
    const received = (await deliveriesTo(hook)).filter(({ type }) => type !== 'trade.created');
    expect(received.map(({ uuid }) => uuid).sort()).toEqual(expected.sort());
  });
});
