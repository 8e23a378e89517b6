import { checkClock, skewOf } from './clock.js';

const serverTimeMs = Date.parse('2026-01-01T00:00:10Z');
const dateHeader = 'Thu, 01 Jan 2026 00:00:10 GMT';

describe("this machine's clock", () => {
  it("is compared at the middle of the round trip with the middle of the server's second", () => {
    expect(skewOf(dateHeader, serverTimeMs + 400, serverTimeMs + 600)).toBe(0);
    expect(skewOf(dateHeader, serverTimeMs + 300_400, serverTimeMs + 300_600)).toBe(300_000);
    expect(skewOf(dateHeader, serverTimeMs - 300_600, serverTimeMs - 298_400)).toBe(-300_000);
  });

  it.each([
    [499, 'ok'],
    [-5_000, 'ok'],
    [-20_000, 'warn'],
    [60_000, 'warn'],
    [60_001, 'fail'],
    [-300_000, 'fail'],
  ])('with an error of %i ms has the status %s', (skewMs, status) => {
    const finding = checkClock(skewMs, 0);
    expect(finding.status).toBe(status);
    expect(finding.resolution === null).toBe(status === 'ok');
  });

  it('passes if its error is within the uncertainty that a slow response causes', () => {
    expect(checkClock(1_400, 2_000)).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('matches'),
    });
  });

  it('is reported as ahead or behind, in milliseconds', () => {
    expect(checkClock(-300_000, 0).found).toContain("300000 ms behind the server's");
    expect(checkClock(300_000, 0).found).toContain("300000 ms ahead of the server's");
  });
});
