import type { Config } from '../../../config';
import type { LiveTab } from '../../../process/live-session';
import { type DashboardRuntime, provideRuntime } from '../../../process/runtime';
import { sessionCookie } from '../../../server/session';
import { GET } from './route';

const ORIGIN = 'http://127.0.0.1:3000';
let leaves = 0;
const joined: LiveTab[] = [];
const stopping = new AbortController();

beforeAll(() => {
  const config = { PUBLIC_URL: ORIGIN, SESSION_KEYS: ['a'.repeat(64)] } as unknown as Config;
  const live = {
    join: (_id: string, _connection: object, tab: LiveTab) => {
      joined.push(tab);
      return () => {
        leaves++;
      };
    },
  };
  provideRuntime({ config, live, stopping: stopping.signal } as unknown as DashboardRuntime);
});
beforeEach(() => {
  leaves = 0;
  joined.length = 0;
});

async function open(
  signal: AbortSignal,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const session = { privateKey: '1', id: 'pbk_1', userId: 'usr_1', expiresAt: '' };
  const cookie = String((await sessionCookie(session)).split(';')[0]);
  return GET(new Request(`${ORIGIN}/api/live${query}`, { headers: { ...headers, cookie }, signal }), {});
}

describe('the stream of a tab', () => {
  it('needs a session', async () => {
    const response = await GET(new Request(`${ORIGIN}/api/live`), {});
    expect([response.status, joined.length]).toEqual([401, 0]);
  });

  it('leaves its session when the tab closes', async () => {
    const tab = new AbortController();
    await open(tab.signal);
    expect(leaves).toBe(0);
    tab.abort();
    expect(leaves).toBe(1);
  });

  it('leaves its session if the tab closed before the stream began', async () => {
    await open(AbortSignal.abort());
    expect(leaves).toBe(joined.length);
  });

  it('begins at the time of the data in the tab, or after the last message that the browser got', async () => {
    const tab = new AbortController();
    const { signal } = tab;
    await open(signal, { query: '?since=1700000000000' });
    await open(signal, { query: '?since=1700000000000', headers: { 'last-event-id': '1700000000005' } });
    expect(joined.map(({ since }) => since)).toEqual([1_700_000_000_000, 1_700_000_000_006]);
    expect((await open(signal, { query: '?since=yesterday' })).status).toBe(400);
    tab.abort();
  });

  it('ends if the tab reads nothing, so that its messages need bounded memory', async () => {
    await open(new AbortController().signal);
    for (let i = 0; i < 300; i++) joined[0]?.send({ kind: 'event', id: i, data: i });
    expect(leaves).toBe(1);
  });

  it('ends when the process stops', async () => {
    const { body } = await open(new AbortController().signal);
    stopping.abort();
    expect(leaves).toBe(1);
    expect(await new Response(body).text()).toBe('retry: 2000\n\n');
  });
});
