import { SharedResult, SharedResults } from './shared-results.js';

/** As the protocol library writes a message. */
const messageOf = (payload: unknown) => JSON.stringify({ id: '1', type: 'next', payload });

describe('a shared result', () => {
  it('stands in a message as it was written', () => {
    const result = new SharedResult('{"data":{"a":1.10}}');
    expect(SharedResult.replacePlaceholder(messageOf(result))).toBe(
      '{"id":"1","type":"next","payload":{"data":{"a":1.10}}}',
    );
  });

  it('leaves every other message as it is, whatever a client puts into it', () => {
    messageOf(new SharedResult('{"data":"of somebody else"}'));
    const mark = JSON.parse(JSON.stringify(new SharedResult('x')));
    const others = [
      messageOf({ data: { mark } }),
      messageOf({ data: null, errors: [mark] }),
      JSON.stringify({ id: mark, type: 'complete' }),
      JSON.stringify({ type: 'pong', payload: { mark } }),
      JSON.stringify({ type: 'connection_ack' }),
    ];
    for (const other of others) expect(SharedResult.replacePlaceholder(other)).toBe(other);
  });
});

describe('what is asked of an event', () => {
  it('is executed once for all who ask the same, and again for who asks something else or of another event', async () => {
    const results = new SharedResults();
    const [event, another] = [{}, {}];
    let executed = 0;
    const execute = async () => new SharedResult(String(executed++));
    const asked = [
      results.getOrExecute(event, 'a', execute),
      results.getOrExecute(event, 'a', execute),
      results.getOrExecute(event, 'b', execute),
      results.getOrExecute(another, 'a', execute),
    ];
    const [one, same, other, later] = await Promise.all(asked);
    expect(one).toBe(same);
    expect(new Set([one, other, later]).size).toBe(3);
    expect(executed).toBe(3);
  });
});
