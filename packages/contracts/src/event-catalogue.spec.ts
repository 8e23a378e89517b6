import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { eventKinds, eventSampleText } from './event-catalogue.js';
import { EVENT_KINDS, EVENT_RECORDS } from './event-kinds.js';
import { EVENT_SAMPLES } from './event-samples.js';
import { EVENT_TYPES, type EventType } from './events.js';
import { decodeId, type IdPrefix } from './ids.js';

/** As strict as a receiver's validator may be: a word that the standard does not have is an error. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
formats.default(ajv);

const checked = new Map<EventType, ValidateFunction>();
for (const { type, schema } of eventKinds()) checked.set(type, ajv.compile(schema));
const sampleOf = (type: EventType) => JSON.parse(eventSampleText(type));

describe('the catalogue of events', () => {
  it('has every kind once, in the published order, with a sentence on when it is sent', () => {
    expect(eventKinds().map(({ type }) => type)).toEqual([...EVENT_TYPES]);
    for (const { description } of eventKinds()) expect(description).toMatch(/^[A-Z].{10,}\.$/);
  });

  it.each(EVENT_TYPES)(
    'shows a sample of %s that its schema takes, by a validator of somebody else',
    (type) => {
      const validate = checked.get(type)!;
      expect([validate(sampleOf(type)), validate.errors]).toEqual([true, null]);
    },
  );

  it.each(EVENT_TYPES)('has a schema of %s that no other kind fits, and no record of another', (type) => {
    const validate = checked.get(type)!;
    for (const other of EVENT_TYPES) {
      if (other === type) continue;
      expect(validate(sampleOf(other))).toBe(false);
      const isOfAnother = !EVENT_KINDS[other].records.some((one) =>
        (EVENT_KINDS[type].records as readonly unknown[]).includes(one),
      );
      // A stopped copier is a copier with more.
      const isWider = type.startsWith('copier.') && other === 'copier.stopped';
      if (isOfAnother && !isWider)
        expect([other, validate({ ...sampleOf(other), type })]).toEqual([other, false]);
    }
  });

  it.each(EVENT_TYPES)('has a sample of %s that the contract itself reads', (type) => {
    const [record] = EVENT_KINDS[type].records;
    const strict = record.strict().safeParse(JSON.parse(JSON.stringify(EVENT_SAMPLES[type])));
    expect(strict.error?.issues).toBeUndefined();
  });

  it('shows decimals as JSON numbers and ids of the right kind, of no record', () => {
    const { data, event_id } = sampleOf('trade.filled');
    expect(data).toMatchObject({ amount: 0.25, price: 60000.5, average_price: 60000.44 });
    expect(decodeId('evt', event_id)).not.toBeNull();
    for (const [name, prefix] of Object.entries({
      id: 'trd',
      exchange_account_id: 'exa',
      trade_pair_id: 'tpr',
    }))
      expect(decodeId(prefix as IdPrefix, data[name])).not.toBeNull();
    const { remaining_amount, filled_amount, amount } = EVENT_SAMPLES['trade.partially_filled'];
    expect(Number(filled_amount) + Number(remaining_amount)).toBe(Number(amount));
  });

  it('takes decimals as they are sent and as they are quoted on demand', () => {
    const sample = sampleOf('trade.filled');
    const quoted = { ...sample, data: { ...sample.data, amount: '0.25' } };
    expect(checked.get('trade.filled')!(quoted)).toBe(true);
    expect(checked.get('trade.filled')!({ ...sample, data: { ...sample.data, amount: 'much' } })).toBe(false);
  });

  it('says of key.revoked that either kind of key may be in it', () => {
    const validate = checked.get('key.revoked')!;
    const { data } = sampleOf('public_key.linked');
    expect(validate({ ...sampleOf('key.revoked'), data })).toBe(true);
    expect(EVENT_RECORDS).toHaveLength(10);
  });
});
