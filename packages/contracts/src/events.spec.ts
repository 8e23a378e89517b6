import { z } from 'zod';
import { eventOperations } from './event-log.js';
import { EVENT_SELECTORS, EVENT_TYPES, expandEventSelector, isSubscribed } from './events.js';
import { compileSerializer } from './serializer.js';
import { StoredJson } from './stored-json.js';

describe('an event in a response', () => {
  const { response } = eventOperations.get;

  it('is the stored JSON with every digit', () => {
    const text = '{"event_id":"evt_1","data":{"amount":0.100000000000000000,"big":12345678901234567890.5}}';
    expect(compileSerializer(response)(StoredJson.of(text))).toBe(text);
  });

  it('is written on one line', () => {
    expect(StoredJson.of('{"a":\r\n[1,\n"x\\ny"]}').text).toBe('{"a": [1, "x\\ny"]}');
  });

  it('must be a StoredJson, which contains only valid JSON', () => {
    expect(() => StoredJson.of('{"a":1')).toThrow(SyntaxError);
    expect(() => StoredJson.of('')).toThrow(SyntaxError);
    expect(() => compileSerializer(response)({ event_id: 'evt_1' })).toThrow(TypeError);
    expect(() => compileSerializer(response)('{"a":1}')).toThrow(TypeError);
  });

  it('has the schema of an event', () => {
    expect(JSON.stringify(z.toJSONSchema(response))).toContain('"event_id"');
  });
});

describe('a selector', () => {
  it('expands to the event types that a webhook with this selector receives', () => {
    for (const selector of EVENT_SELECTORS)
      expect(expandEventSelector(selector)).toEqual(
        EVENT_TYPES.filter((type) => isSubscribed([selector], type)),
      );
    expect(expandEventSelector('*')).toHaveLength(EVENT_TYPES.length);
    expect(expandEventSelector('webhook.*')).toEqual(['webhook.test', 'webhook.deactivated']);
    expect(expandEventSelector('trade')).toEqual([]);
  });

  it.each([eventOperations.list, eventOperations.stream])(
    'is rejected by $id if it covers no event type',
    ({ query }) => {
      for (const type of EVENT_SELECTORS) expect(query.safeParse({ type }).success).toBe(true);
      for (const type of ['trade', 'trade.', 'trade.f*', '', 'TRADE.FILLED'])
        expect(query.safeParse({ type }).success).toBe(false);
    },
  );
});
