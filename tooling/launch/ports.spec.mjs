import { freePort } from './ports.mjs';

const COUNT = 600;
/** The first port that Linux assigns to outgoing connections. */
const FIRST_ASSIGNED_PORT = 32_768;

describe('a free port', () => {
  it('is not chosen again before its server could listen, and not one that an outgoing connection could take', async () => {
    const ports = await Promise.all(Array.from({ length: COUNT }, freePort));
    expect(new Set(ports).size).toBe(COUNT);
    expect(Math.max(...ports)).toBeLessThan(FIRST_ASSIGNED_PORT);
  });
});
