import { SharedResult, SharedResults } from './shared-results.js';

/** Serializes a message like the protocol library. */
const messageOf = (payload: unknown) => JSON.stringify({ id: '1', type: 'next', payload });

describe('a shared result', () => {
  it('appears in a message as it was serialized', () => {
    const result = new SharedResult('{"data":{"a":1.10}}');
    expect(SharedResult.replacePlaceholder(messageOf(result))).toBe(
      '{"id":"1","type":"next","payload":{"data":{"a":1.10}}}',
    );
  });

  it('does not change other messages, regardless of client input', () => {
    messageOf(new SharedResult('{"data":"of somebody else"}'));
    const placeholder = JSON.parse(JSON.stringify(new SharedResult('x')));
    const others = [
      messageOf({ data: { placeholder } }),
      messageOf({ data: null, errors: [placeholder] }),
      JSON.stringify({ id: placeholder, type: 'complete' }),
      JSON.stringify({ type: 'pong', payload: { placeholder } }),
      JSON.stringify({ type: 'connection_ack' }),
    ];
    for (const message of others) expect(SharedResult.replacePlaceholder(message)).toBe(message);
  });
});

describe('shared results', () => {
  it('execute equal requests for an event once, and execute again for another request or event', async () => {
    const results = new SharedResults();
    const [event, another] = [{}, {}];
    let executed = 0;
    const execute = async () => new SharedResult(String(executed++));
    const requested = [
      results.getOrExecute(event, 'a', execute),
      results.getOrExecute(event, 'a', execute),
      results.getOrExecute(event, 'b', execute),
      results.getOrExecute(another, 'a', execute),
    ];
    const [first, second, otherRequest, otherEvent] = await Promise.all(requested);
    expect(first).toBe(second);
    expect(new Set([first, otherRequest, otherEvent]).size).toBe(3);
    expect(executed).toBe(3);
  });
});
