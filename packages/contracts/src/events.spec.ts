import { z } from 'zod';
import { eventOperations } from './event-log.js';
import { EVENT_SELECTORS, EVENT_TYPES, expandEventSelector, isSubscribed } from './events.js';
import { compileSerializer } from './serializer.js';
import { StoredJson } from './stored-json.js';

describe('an event that is answered', () => {
  const { response } = eventOperations.get;

  it('is the stored text, digit by digit', () => {
    const text = '{"event_id":"evt_1","data":{"amount":0.100000000000000000,"big":12345678901234567890.5}}';
    expect(compileSerializer(response)(StoredJson.of(text))).toBe(text);
  });

  it('is on one line', () => {
    expect(StoredJson.of('{"a":\r\n[1,\n"x\\ny"]}').text).toBe('{"a": [1, "x\\ny"]}');
  });

  it('is never text that is no JSON, nor a value that was not stored', () => {
    expect(() => StoredJson.of('{"a":1')).toThrow(SyntaxError);
    expect(() => StoredJson.of('')).toThrow(SyntaxError);
    expect(() => compileSerializer(response)({ event_id: 'evt_1' })).toThrow(TypeError);
    expect(() => compileSerializer(response)('{"a":1}')).toThrow(TypeError);
  });

  it('is described as the event that it is', () => {
    expect(JSON.stringify(z.toJSONSchema(response))).toContain('"event_id"');
  });
});

describe('a selector', () => {
  it('stands for the kinds that a webhook with it would get', () => {
    for (const selector of EVENT_SELECTORS)
      expect(expandEventSelector(selector)).toEqual(
        EVENT_TYPES.filter((type) => isSubscribed([selector], type)),
      );
    expect(expandEventSelector('*')).toHaveLength(EVENT_TYPES.length);
    expect(expandEventSelector('webhook.*')).toEqual(['webhook.test', 'webhook.deactivated']);
    expect(expandEventSelector('trade')).toEqual([]);
  });

  it.each([eventOperations.list, eventOperations.stream])(
    'that covers no kind is refused by $id',
    ({ query }) => {
      for (const type of EVENT_SELECTORS) expect(query.safeParse({ type }).success).toBe(true);
      for (const type of ['trade', 'trade.', 'trade.f*', '', 'TRADE.FILLED'])
        expect(query.safeParse({ type }).success).toBe(false);
    },
  );
});
