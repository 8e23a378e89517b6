import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { eventCatalogueEntries, eventSampleText } from './event-catalogue.js';
import { EVENT_DEFINITIONS, EVENT_RECORD_SCHEMAS } from './event-kinds.js';
import { EVENT_SAMPLES } from './event-samples.js';
import { EVENT_TYPES, type EventType } from './events.js';
import { decodeId, type IdPrefix } from './ids.js';

/** A strict validator, as a receiver may use: unknown keywords are errors. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
formats.default(ajv);

const validators = new Map<EventType, ValidateFunction>();
for (const { type, schema } of eventCatalogueEntries()) validators.set(type, ajv.compile(schema));
const sampleOf = (type: EventType) => JSON.parse(eventSampleText(type));

describe('the catalogue of events', () => {
  it('has every event type once, in the published order, with a description', () => {
    expect(eventCatalogueEntries().map(({ type }) => type)).toEqual([...EVENT_TYPES]);
    for (const { description } of eventCatalogueEntries()) expect(description).toMatch(/^[A-Z].{10,}\.$/);
  });

  it.each(EVENT_TYPES)(
    'has a sample of %s that matches its schema, checked by an independent validator',
    (type) => {
      const validate = validators.get(type)!;
      expect([validate(sampleOf(type)), validate.errors]).toEqual([true, null]);
    },
  );

  it.each(EVENT_TYPES)('has a schema of %s that matches no other event type or record', (type) => {
    const validate = validators.get(type)!;
    for (const other of EVENT_TYPES) {
      if (other === type) continue;
      expect(validate(sampleOf(other))).toBe(false);
      const hasAnotherRecord = !EVENT_DEFINITIONS[other].recordSchemas.some((record) =>
        (EVENT_DEFINITIONS[type].recordSchemas as readonly unknown[]).includes(record),
      );
      // A stopped copier has all fields of a copier.
      const isSuperset = type.startsWith('copier.') && other === 'copier.stopped';
      if (hasAnotherRecord && !isSuperset)
        expect([other, validate({ ...sampleOf(other), type })]).toEqual([other, false]);
    }
  });

  it.each(EVENT_TYPES)('has a sample of %s that the zod schema parses', (type) => {
    const [record] = EVENT_DEFINITIONS[type].recordSchemas;
    const strict = record.strict().safeParse(JSON.parse(JSON.stringify(EVENT_SAMPLES[type])));
    expect(strict.error?.issues).toBeUndefined();
  });

  it('has samples with decimals as JSON numbers and with ids of the right prefix', () => {
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

  it('has schemas that accept decimals as numbers and as strings', () => {
    const sample = sampleOf('trade.filled');
    const quoted = { ...sample, data: { ...sample.data, amount: '0.25' } };
    expect(validators.get('trade.filled')!(quoted)).toBe(true);
    expect(validators.get('trade.filled')!({ ...sample, data: { ...sample.data, amount: 'much' } })).toBe(
      false,
    );
  });

  it('has a schema of key.revoked that allows an API key or a public key', () => {
    const validate = validators.get('key.revoked')!;
    const { data } = sampleOf('public_key.linked');
    expect(validate({ ...sampleOf('key.revoked'), data })).toBe(true);
    expect(EVENT_RECORD_SCHEMAS).toHaveLength(14);
  });
});
