import { decimal, EVENT_PAYLOAD_MAX_BYTES, event as eventSchema } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import { z } from 'zod';
import { CoreUnderTest } from '../testing/index.js';
import { emitEvent, eventPayload } from './emit-event.js';

const EVENT_ID = '0190f5f0-0000-7000-8000-000000000001';
const schema = z.object({
  id: z.string(),
  amount: decimal,
  balance: z.record(z.string(), decimal),
  notes: z.array(z.string()),
});
const recordOf = (more: Partial<z.output<typeof schema>> = {}): z.output<typeof schema> => ({
  id: 'x',
  amount: '12345678901234567890.123456789012345678',
  balance: { BTC: '0.000000000000000001' },
  notes: ['a'],
  ...more,
});
const payloadOf = (record: z.output<typeof schema>) =>
  eventPayload(EVENT_ID, 'exchange.synced', schema, record);
const assetsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`ASSET${i}`, '1.123456789012345678']));

describe('the payload of an event', () => {
  it('matches the schema, with every digit of the record', () => {
    const text = payloadOf(recordOf());
    expect(eventSchema.parse(JSON.parse(text))).toMatchObject({ type: 'exchange.synced', data: { id: 'x' } });
    expect(text).toContain('"amount":12345678901234567890.123456789012345678,');
    expect(text).toContain('{"BTC":0.000000000000000001}');
    expect(text).not.toContain('truncated');
  });

  it('contains no field that the schema does not define', () => {
    const leaky = { ...recordOf(), credentials_sealed: 'a secret' };
    expect(payloadOf(leaky)).not.toContain('secret');
  });

  it.each([
    ['a long map', { balance: assetsOf(5_000) }],
    ['a long list', { notes: Array.from({ length: 5_000 }, (_, i) => `note number ${i} of many`) }],
    [
      'a list of long strings of multi-byte characters',
      { notes: Array.from({ length: 100 }, () => '☃'.repeat(1_000)) },
    ],
    [
      'a long map and a long list',
      { balance: assetsOf(5_000), notes: Array.from({ length: 9_000 }, () => 'a note') },
    ],
  ])('is truncated to at most 64 KiB and marked as truncated if it has %s', (_case, more) => {
    const text = payloadOf(recordOf(more));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(EVENT_PAYLOAD_MAX_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(EVENT_PAYLOAD_MAX_BYTES / 8);
    const event = eventSchema.parse(JSON.parse(text));
    expect(event).toMatchObject({ truncated: true, data: { id: 'x' } });
    expect(text).toContain('"amount":12345678901234567890.123456789012345678,');
  });

  it('is not truncated at exactly 64 KiB', () => {
    const freeBytes = EVENT_PAYLOAD_MAX_BYTES - Buffer.byteLength(payloadOf(recordOf({ notes: [''] })));
    expect(Buffer.byteLength(payloadOf(recordOf({ notes: ['x'.repeat(freeBytes)] })))).toBe(
      EVENT_PAYLOAD_MAX_BYTES,
    );
  });
});

describe('emitEvent', () => {
  let core: CoreUnderTest;
  beforeAll(async () => {
    core = await CoreUnderTest.open();
  });
  afterAll(() => core.close());

  it('writes an event only if its transaction is committed', async () => {
    const { userId } = await core.actor();
    const emitTestEvent = (record: z.output<typeof schema>, fails: boolean) =>
      inTransaction(core.platform.database, async (tx) => {
        await emitEvent(tx, { userId, type: 'exchange.synced', schema, record });
        if (fails) throw new Error('rolled back');
      });
    await expect(emitTestEvent(recordOf({ id: 'rolled back' }), true)).rejects.toThrow('rolled back');
    await emitTestEvent(recordOf({ id: 'done' }), false);
    const rows = await core.rows('SELECT id, type FROM outbox_events WHERE user_id = $1', userId);
    expect(rows).toMatchObject([{ type: 'exchange.synced' }]);
    expect((await core.events(userId)).map(({ data }) => data.id)).toEqual(['done']);
  });
});
