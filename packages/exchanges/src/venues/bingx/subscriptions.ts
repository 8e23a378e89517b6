/** What BingX's streams of accounts and of markets have in common. All messages are compressed. */
import { z } from 'zod';
import type { PingAnswer } from '../../ccxt/streams/sockets.js';

export const STREAMS_URL = 'wss://open-api-ws.bingx.com/market';

/** The topic is the id, too, so that equal messages are equal. */
export const subscription = (reqType: 'sub' | 'unsub', dataType: string): object => ({
  id: dataType,
  reqType,
  dataType,
});

const ping = z.object({ ping: z.string(), time: z.string() });

export const answerPing: PingAnswer = (message) => {
  const { data } = ping.safeParse(message);
  return data && { pong: data.ping, time: data.time };
};
