import { checkClock, skewOf } from './clock.js';

const second = Date.parse('2026-01-01T00:00:10Z');
const header = 'Thu, 01 Jan 2026 00:00:10 GMT';

describe("this machine's clock", () => {
  it("is measured at the middle of the round trip against the middle of the server's second", () => {
    expect(skewOf(header, second + 400, second + 600)).toBe(0);
    expect(skewOf(header, second + 300_400, second + 300_600)).toBe(300_000);
    expect(skewOf(header, second - 300_600, second - 298_400)).toBe(-300_000);
  });

  it.each([
    [499, 'ok'],
    [-5_000, 'ok'],
    [-20_000, 'warn'],
    [60_000, 'warn'],
    [60_001, 'fail'],
    [-300_000, 'fail'],
  ])('that is %i ms off is %s', (skewMs, status) => {
    const finding = checkClock(skewMs, 0);
    expect(finding.status).toBe(status);
    expect(finding.resolution === null).toBe(status === 'ok');
  });

  it('is not blamed for what the round trip may account for', () => {
    expect(checkClock(1_400, 2_000)).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('matches'),
    });
  });

  it('is reported in milliseconds with its direction', () => {
    expect(checkClock(-300_000, 0).found).toContain("300000 ms behind the server's");
    expect(checkClock(300_000, 0).found).toContain("300000 ms ahead of the server's");
  });
});
