import { provideSampleRuntime, SAMPLE_ORIGIN } from '../process/runtime.sample';
import { sameOrigin } from './same-origin';

beforeAll(() => provideSampleRuntime());

let calls = 0;
const handle = sameOrigin(async () => {
  calls++;
  return new Response('done');
});
/** Returns the status, and whether the handler ran. */
async function outcomeOf(method: string, headers: Record<string, string>) {
  calls = 0;
  const { status } = await handle(new Request(`${SAMPLE_ORIGIN}/api/session`, { method, headers }), {});
  return [status, calls];
}

describe('a request that changes something', () => {
  it.each<Record<string, string>>([
    { origin: SAMPLE_ORIGIN },
    { origin: SAMPLE_ORIGIN, 'sec-fetch-site': 'same-origin' },
  ])('is accepted with %j', async (headers) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await outcomeOf(method, headers)).toEqual([200, 1]);
  });

  it.each<Record<string, string>>([
    {},
    { origin: 'null' },
    { origin: 'https://attacker.example' },
    { origin: `${SAMPLE_ORIGIN}.attacker.example` },
    { origin: 'http://127.0.0.1:3001' },
    { origin: 'https://127.0.0.1:3000' },
    { 'sec-fetch-site': 'same-origin' },
  ])('is refused with %j, because it names no origin or another one', async (headers) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await outcomeOf(method, headers)).toEqual([403, 0]);
  });

  it.each(['cross-site', 'same-site', 'none'])('is refused if the browser says %s', async (site) => {
    expect(await outcomeOf('POST', { origin: SAMPLE_ORIGIN, 'sec-fetch-site': site })).toEqual([403, 0]);
  });
});

describe('a request that reads', () => {
  it('is accepted from a browser that sends no metadata', async () => {
    expect(await outcomeOf('GET', {})).toEqual([200, 1]);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://attacker.example' },
  ])('is refused with %j', async (headers) => {
    for (const method of ['GET', 'HEAD']) expect(await outcomeOf(method, headers)).toEqual([403, 0]);
  });
});
