import { readFuturesStreamName } from './futures-stream-name.js';

describe('the name of a futures stream', () => {
  it.each([
    ['btcusdt@aggTrade', { channel: 'aggTrade' }],
    ['btcusdt@depth', { channel: 'depth', everyMs: 250 }],
    ['btcusdt@depth@500ms', { channel: 'depth', everyMs: 500 }],
    ['ethusdt@depth20@100ms', { channel: 'partialDepth', everyMs: 100, levels: 20 }],
    ['btcusdt@markPrice', { channel: 'markPrice', everyMs: 3_000 }],
    ['!markPrice@arr@1s', { channel: 'markPrice', everyMs: 1_000 }],
    ['!forceOrder@arr', { channel: 'forceOrder' }],
    ['solusdt@kline_1h', { channel: 'kline', interval: { name: '1h' } }],
  ])('%s is read', (text, expected) => {
    expect(readFuturesStreamName(text)).toMatchObject({ text, ...expected });
  });

  it.each([
    'btcusdt',
    'BTCUSDT@aggTrade',
    'dogeusdt@aggTrade',
    'btcusdt@depth7',
    'btcusdt@depth@1000ms',
    'btcusdt@!markPrice@arr',
    '!markPrice',
    'btcusdt@kline_1s',
    '!unknown@arr',
  ])('%s is not a stream', (text) => {
    expect(readFuturesStreamName(text)).toBeUndefined();
  });
});
