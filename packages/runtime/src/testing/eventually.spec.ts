import { eventually } from './index.js';

const { now } = performance;
afterEach(() => {
  performance.now = now;
});

describe('eventually', () => {
  it('checks until the value is truthy, and returns it', async () => {
    const values = [undefined, null, false, 0, '', 'done', 'more'];
    await expect(eventually(async () => values.shift(), { everyMs: 1 })).resolves.toBe('done');
    expect(values).toEqual(['more']);
  });

  it('repeats a check that throws', async () => {
    let checks = 0;
    const check = () => {
      expect(++checks).toBe(3);
      return true;
    };
    await eventually(check, { everyMs: 1 });
    expect(checks).toBe(3);
  });

  it('fails after the timeout, with the last value in its message or the last error as its cause', async () => {
    const soon = { timeoutMs: 20, everyMs: 1 };
    await expect(eventually(() => 0, soon)).rejects.toThrow(
      'The condition was not met within 20 ms; its last value was 0.',
    );
    let checks = 0;
    performance.now = () => (checks < 2 ? 0 : 20);
    const failing = eventually(() => Promise.reject(new Error(`check ${++checks}`)), soon);
    await expect(failing).rejects.toThrow('the last check failed: Error: check ');
    await expect(failing).rejects.toMatchObject({ cause: new Error(`check ${checks}`) });
    expect(checks).toBe(2);
  });
});
