import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@trading-automation/runtime/testing';
import type { ExchangeError } from '../../port.js';
import type { OwnStreamProtocol, VenueSession } from '../declaration.js';
import { OwnAccountStreams } from './own-account-streams.js';
import type { SocketHandler } from './sockets.js';
import type { OwnStreamSegment } from './stream-member.js';

const session = {} as VenueSession;
const account = { credentials: { apiKey: 'key', apiSecret: 'secret' }, key: 'key' };

/** A stream whose connection opens at once. */
async function openStream(keepAlive: NonNullable<OwnStreamProtocol['keepAlive']>) {
  let closed = 0;
  const segment = {
    startTimeoutMs: 1_000,
    preparedSession: async () => session,
    acquireBudget: async () => undefined,
    run: async (_request: unknown, work: (opened: VenueSession) => Promise<unknown>) => work(session),
    sockets: {
      connect: (_url: string, handler: SocketHandler) => {
        queueMicrotask(() => handler.onOpen());
        return {
          send: () => undefined,
          close: async () => {
            closed += 1;
          },
        };
      },
    },
  } as unknown as OwnStreamSegment;
  const protocol: OwnStreamProtocol = {
    kind: 'OWN',
    weight: 1,
    keepAlive,
    plan: async () => ({ url: 'wss://exchange/ws', steps: [] }),
    responseOf: () => undefined,
    open: () => ({ read: () => [] }),
  };
  const lost: string[] = [];
  const stream = await new Promise<{ close(): Promise<void> }>((resolve) => {
    const opened = new OwnAccountStreams(segment, protocol).open(account, {
      onConnected: () => resolve(opened),
      onLost: ({ outcome, code }: ExchangeError) => lost.push(`${outcome}/${code}`),
      onOrder: () => undefined,
      onBalances: () => undefined,
    });
  });
  return { stream, lost, closed: () => closed };
}

describe('the keep-alive of an account stream', () => {
  it('runs at intervals until the stream is closed', async () => {
    let calls = 0;
    const { stream, lost } = await openStream({
      everyMs: 10,
      run: async () => {
        calls += 1;
      },
    });
    await eventually(() => calls >= 2);
    await stream.close();
    const before = calls;
    await sleep(50);
    expect([calls, lost]).toEqual([before, []]);
  });

  it('ends the stream once if it fails', async () => {
    const run = async () => {
      throw new Error('the exchange has ended the stream');
    };
    const { lost, closed } = await openStream({ everyMs: 10, run });
    await eventually(() => closed() > 0);
    await sleep(50);
    expect([lost, closed()]).toEqual([['retryable/unreachable'], 1]);
  });
});
