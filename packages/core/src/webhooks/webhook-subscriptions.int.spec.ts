import { decodeId, EVENT_SELECTORS, EVENT_TYPES, expandEventSelector } from '@trading-automation/contracts';
import type { Relay } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { Actor } from '../operations/index.js';

import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

let the: WebhooksUnderTest;
let relay: Pick<Relay, 'stop'>;
const errors: unknown[] = [];
beforeAll(async () => {
  the = await WebhooksUnderTest.open();
  relay = new WebhookFanOut(the.core.platform).start((error) => errors.push(error));
});
afterAll(async () => {
  await relay.stop();
  await the.close();
  expect(errors).toEqual([]);
});

const deliveriesTo = async (hook: string) => {
  const rows = await the.core.rows(
    'SELECT event_id, event_type FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY event_id',
    decodeId('whk', hook),
  );
  return rows.map(({ event_id, event_type }) => ({ uuid: String(event_id), type: String(event_type) }));
};

/**
 * Resolves once the fan-out has handled everything committed so far: a final event has reached a webhook of all
 * types.
 */
async function settle(actor: Actor): Promise<void> {
  const witness = await the.createWebhook(actor);
  const { uuid } = await the.emit(actor);
  await eventually(async () => (await deliveriesTo(witness)).some((delivery) => delivery.uuid === uuid));
  await the.webhooks.delete(actor, witness);
}

describe('a subscription', () => {
  it('of every form gets the types that it covers and no other, each once', async () => {
    const actor = await the.core.actor();
    const hooks = new Map<string, string>();
    for (const selector of EVENT_SELECTORS) hooks.set(selector, await the.createWebhook(actor, [selector]));
    const emitted = new Map<string, string>();
    for (const type of EVENT_TYPES) emitted.set(type, (await the.emit(actor, { type })).uuid);
    await settle(actor);
    for (const [selector, hook] of hooks) {
      const got = (await deliveriesTo(hook)).filter(({ uuid, type }) => emitted.get(type) === uuid);
      expect([selector, got.map(({ type }) => type).sort()]).toEqual([
        selector,
        [...expandEventSelector(selector)].sort(),
      ]);
    }
  });

  it('with several selectors that cover the same type gets it once', async () => {
    const actor = await the.core.actor();
    const hook = await the.createWebhook(actor, ['*', 'trade.*', 'trade.filled']);
    const { uuid } = await the.emit(actor, { type: 'trade.filled' });
    await settle(actor);
    expect((await deliveriesTo(hook)).filter((delivery) => delivery.uuid === uuid)).toHaveLength(1);
  });

  it("never covers another user's events", async () => {
    const [actor, other] = [await the.core.actor(), await the.core.actor()];
    const hook = await the.createWebhook(actor);
    const { uuid } = await the.emit(other);
    await settle(other);
    expect((await deliveriesTo(hook)).filter((delivery) => delivery.uuid === uuid)).toEqual([]);
  });

  it('that is changed applies to every event committed after the change', async () => {
    const actor = await the.core.actor();
    const hook = await the.createWebhook(actor, ['trade.*']);
    const expected: string[] = [];
    for (let round = 0; round < 10; round++) {
      const selector = round % 2 === 0 ? 'reward.*' : 'trade.filled';
      await the.webhooks.update(actor, hook, { events: [selector] });
      for (const type of ['trade.filled', 'reward.granted'] as const) {
        const { uuid } = await the.emit(actor, { type });
        if (expandEventSelector(selector).includes(type)) expected.push(uuid);
      }
      // Wait for the fan-out: the next change may apply to events that it has not handled.
      await settle(actor);
    }
    const got = (await deliveriesTo(hook)).filter(({ type }) => type !== 'trade.created');
    expect(got.map(({ uuid }) => uuid).sort()).toEqual(expected.sort());
  });
});
