/** Readers of streams that share a connection: each ignores the messages of other trading types. */
import type { TradingType } from '@trading-automation/contracts';
import type { VenueSession } from '../ccxt/declaration.js';
import { declarationOf } from './index.js';

const session = { ccxt: {} } as VenueSession;
const ts = 1_746_698_732_562;

function read(venue: string, type: TradingType, message: object): unknown {
  const stream = declarationOf(venue)?.tradingTypes[type]?.accountStream;
  if (stream?.kind !== 'OWN' || stream.isShared !== true) throw new Error(`${venue} ${type} is not shared`);
  return stream.open(session).read(message);
}

const okx = (channel: string, instType: string) => ({ arg: { channel, instType }, data: [{}] });
const bybit = (topic: string, category: string) => ({ topic, creationTime: ts, data: [{ category }] });
const bitget = (topic: string) => ({ arg: { instType: 'UTA', topic }, data: [{}], ts });

it.each<[string, TradingType, object]>([
  ['okx', 'spot', okx('orders', 'SWAP')],
  ['okx', 'spot', okx('orders', 'MARGIN')],
  ['okx', 'perpetual', okx('orders', 'SPOT')],
  ['okx', 'margin', okx('positions', 'SWAP')],
  ['bybit', 'spot', bybit('order', 'linear')],
  ['bybit', 'spot', bybit('position', 'linear')],
  ['bybit', 'perpetual', bybit('execution', 'spot')],
  ['bitget', 'spot', bitget('position')],
])('%s: the %s stream ignores %j', (venue, type, message) => {
  expect(read(venue, type, message)).toEqual([]);
});

it.each<[string, TradingType, object]>([
  ['okx', 'perpetual', okx('orders', 'SWAP')],
  ['okx', 'margin', okx('orders', 'SPOT')],
  ['okx', 'perpetual', okx('positions', 'SWAP')],
  ['bybit', 'perpetual', bybit('position', 'linear')],
  ['bybit', 'spot', bybit('order', 'spot')],
  ['bitget', 'perpetual', bitget('position')],
])('%s: the %s stream reads %j, whose empty record is an error', (venue, type, message) => {
  expect(() => read(venue, type, message)).toThrow();
});
