import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { eventually } from '@trading-automation/runtime/testing';
import { type LiveMessage, LiveSession } from './live-session.js';

const EVENT = { id: 'evt_1', type: 'trade.created', created_at: '2026-11-28T12:00:00.000Z', data: {} };

/** An API whose event stream the tests control. */
let api: Server;
let streams: { headers: IncomingHttpHeaders; response: ServerResponse }[] = [];
let isRefusing = false;
let session: LiveSession | undefined;
let ends = 0;
beforeEach(async () => {
  [streams, isRefusing, ends] = [[], false, 0];
  api = createServer(({ headers }, response) => {
    if (isRefusing) {
      const error = { code: 'unknown_public_key', message: 'The session has ended.', details: [] };
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: false, error }));
      return;
    }
    streams.push({ headers, response });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1\n\n');
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterEach(async () => {
  session?.end();
  api.closeAllConnections();
  api.close();
  await once(api, 'close');
});

function open() {
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const connection = { restUrl: url, graphqlUrl: url, privateKey: '1'.repeat(64), address: '198.51.100.7' };
  const opened = new LiveSession(connection, () => {
    ends++;
  });
  session = opened;
  return (since?: number) => {
    const messages: LiveMessage[] = [];
    opened.join({ since, send: (message) => messages.push(message), close: () => undefined });
    return messages;
  };
}
const writeEvent = (id: string) =>
  streams[0]?.response.write(
    `id: ${id}\nevent: trade.created\ndata: ${JSON.stringify({ ...EVENT, id })}\n\n`,
  );
const eventsOf = (messages: readonly LiveMessage[]) =>
  messages.flatMap((message) => (message.kind === 'event' ? [Object(message.data).id] : []));
const statesOf = (messages: readonly LiveMessage[]) =>
  messages.flatMap((message) => (message.kind === 'state' ? [message.data.state] : []));

describe('the live session of a browser', () => {
  it('has one event stream for all tabs, which does not extend the session', async () => {
    const join = open();
    const tabs = [join(), join()];
    await eventually(() => tabs.every((messages) => statesOf(messages).includes('live')));
    expect(streams.map(({ headers }) => headers)).toMatchObject([
      { 'x-background': 'true', 'x-forwarded-for': '198.51.100.7', 'x-svc-pubkey': expect.any(String) },
    ]);
    writeEvent('evt_1');
    await eventually(() => tabs.every((messages) => messages.some(({ kind }) => kind === 'event')));
    expect(ends).toBe(0);
  });

  it('gives a tab the events since its data were loaded, and no older ones', async () => {
    const join = open();
    const first = join();
    await eventually(() => statesOf(first).includes('live'));
    writeEvent('evt_1');
    await eventually(() => eventsOf(first).length === 1);
    const since = Number(first.flatMap((message) => (message.kind === 'event' ? [message.id] : []))[0]);
    writeEvent('evt_2');
    await eventually(() => eventsOf(first).length === 2);
    const [all, later, later2] = [join(since), join(since + 1), join()];
    expect([all, later, later2].map(eventsOf)).toEqual([['evt_1', 'evt_2'], ['evt_2'], []]);
    expect([all, later, later2].map(statesOf)).toEqual([['live'], ['live'], ['live']]);
  });

  it('reports an interruption to a tab if events since its data were loaded may be missing', async () => {
    const join = open();
    const first = join();
    await eventually(() => statesOf(first).includes('live'));
    expect(statesOf(join(Date.now() - 60_000))).toEqual(['reconnecting', 'live']);
  });

  it('ends when the API ends the session, and every tab learns it', async () => {
    const join = open();
    const tabs = [join(), join()];
    await eventually(() => tabs.every((messages) => statesOf(messages).includes('live')));
    isRefusing = true;
    streams[0]?.response.end();
    await eventually(() => ends > 0 || tabs.some((messages) => statesOf(messages).includes('over')));
    await setImmediate();
    expect(tabs.map((messages) => statesOf(messages).at(-1))).toEqual(['over', 'over']);
    expect(ends).toBe(1);
  });
});
