/** Tests fault F14: whatever a receiver sends, a call ends in time, with the right code, and uses little memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../test/certificates.js';
import { MODES, openModes } from '../../test/receiver-modes.js';
import { OutboundClient } from './outbound-client.js';

/** The time limit of calls to receivers that never finish. Other calls get all the time that a busy machine needs. */
const HANG_TIMEOUT_MS = 1_000;
const NORMAL_TIMEOUT_MS = 30_000;
/**
 * The tolerance for a busy machine. It is shorter than the connect timeout, so the test fails if the time limit does
 * not include connecting.
 */
const MARGIN_MS = 8_000;
const RSS_GROWTH_MAX_BYTES = 64 * 1024 * 1024;

let certificates: Certificates;
let receivers: Awaited<ReturnType<typeof openModes>>;
beforeAll(async () => {
  certificates = await makeCertificates();
  receivers = await openModes(certificates);
});
afterAll(() => receivers.close());

const BODY = Buffer.from('{"event_id":"evt_1"}');

describe('F14: a receiver that sends', () => {
  it.each(MODES)('$sends', async (mode) => {
    const timeoutMs = mode.hangs ? HANG_TIMEOUT_MS : NORMAL_TIMEOUT_MS;
    const client = new OutboundClient({
      allowLoopback: true,
      timeoutMs,
      authorities: [certificates.authority],
    });
    const startedAt = performance.now();
    const result = await client.post({ url: receivers.urlOf(mode), headers: {}, body: BODY });
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + MARGIN_MS);
    client.close();
    const { statusCode, error } = result;
    expect({ statusCode, error }).toEqual({ statusCode: undefined, error: undefined, ...mode.outcome });
    if (mode.excerpt instanceof RegExp) expect(result.responseBody).toMatch(mode.excerpt);
    else if (mode.excerpt !== undefined) expect(result.responseBody).toBe(mode.excerpt);
    expect((result.responseBody ?? '').length).toBeLessThanOrEqual(1024);
  });

  it.each([
    ['any of these responses', MODES],
    ['endless data', MODES.filter(({ isFlood }) => isFlood)],
  ])('%s to 64 concurrent calls makes the process grow by at most 64 MiB', async (_responses, modes) => {
    const urls = Array.from({ length: 64 }, (_, i) => receivers.urlOf(modes[i % modes.length] ?? modes[0]!));
    const child = fork(join(import.meta.dirname, '../../test/calls-at-once.mjs'), {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.send({ urls, timeoutMs: HANG_TIMEOUT_MS, authorities: [certificates.authority] });
    const [message] = await once(child, 'message');
    child.kill();
    const { ended, slowestMs, growthBytes } = message as {
      ended: number;
      slowestMs: number;
      growthBytes: number;
    };
    expect(ended).toBe(64);
    expect(slowestMs).toBeLessThan(HANG_TIMEOUT_MS + MARGIN_MS);
    expect(growthBytes).toBeLessThanOrEqual(RSS_GROWTH_MAX_BYTES);
  });
});
