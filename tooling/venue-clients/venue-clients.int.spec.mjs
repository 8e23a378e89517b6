import { CLIENTS } from './client.mjs';
import { startVenue } from './venue.mjs';

describe('a third-party client of the venue, of which only the URLs are replaced', () => {
  let venue;
  let client;
  beforeAll(async () => {
    // One of the clients logs every connection otherwise.
    process.env.LOG_LEVEL = 'error';
    venue = await startVenue();
  });
  afterEach(() => client?.close());
  afterAll(() => venue.stop());

  it.each(Object.entries(CLIENTS))(
    '%s trades: places, queries, fills, cancels, and receives each change',
    async (_name, open) => {
      client = await open(await venue.createAccount());
      const heard = [];
      const waiting = [];
      await client.watchOrders((id, status) => {
        heard.push(`${id} ${status}`);
        for (const check of waiting) check();
      });
      const hears = (event) =>
        new Promise((resolve) => {
          const check = () => heard.includes(event) && resolve(event);
          waiting.push(check);
          check();
        });
      await client.placeLimit({ id: 'rests', price: 50_000, quantity: 0.01 });
      expect(await client.statusOf('rests')).toBe('NEW');
      expect(await hears('rests NEW')).toBe('rests NEW');
      await client.cancel('rests');
      expect(await client.statusOf('rests')).toBe('CANCELED');
      expect(await hears('rests CANCELED')).toBe('rests CANCELED');
      await client.placeMarket({ id: 'fills', quantity: 0.01 });
      expect(await client.statusOf('fills')).toBe('FILLED');
      expect(await hears('fills FILLED')).toBe('fills FILLED');
    },
  );
});
