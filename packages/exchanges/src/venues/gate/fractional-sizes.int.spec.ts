/** Positions, fills and books of contracts whose sizes have a fraction. */
import { failureOf } from '../../../conformance/conformance-fixture.js';
import { exact } from '../../../conformance/scripted/model.js';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { AccountStreamRecorder, BookStreamRecorder } from '../../../conformance/stream-recorders.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));
const symbol = 'BTC/USDT:USDT';

describe('sizes of Gate that are no whole number of contracts', () => {
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());

  const open = async () => {
    const server = await ScriptedServer.start(dialect, recordings, 'perpetual');
    const config = {
      id: 'gate',
      name: 'Gate',
      adapter: 'gate',
      tradingTypes: ['perpetual'],
      url: server.url,
    };
    const venue = createVenue(venueConfig.parse(config));
    close = async () => {
      await venue.close();
      await server.close();
      expect(server.problems).toEqual([]);
    };
    const { exchange } = server;
    const accounts = [1, 2].map(() => exchange.openAccount({ USDT: 10_000 }));
    const [maker, taker] = accounts.map((account) => venue.connect(account, 'perpetual'));
    return { venue, exchange, account: accounts[1]!, maker: maker!, taker: taker! };
  };

  it('are read as they are, by calls and on the streams', async () => {
    const { exchange, account, maker, taker } = await open();
    const recorder = new AccountStreamRecorder();
    taker.watch(recorder);
    await recorder.connected();
    const terms = { symbol, type: 'LIMIT', timeInForce: 'GTC', reduceOnly: false, price: '60000' } as const;
    // A contract is 0.0001.
    await maker.placeOrder({ ...terms, side: 'SELL', amount: '0.0003', venueClientOrderId: 'ta01' });
    await taker.placeOrder({ ...terms, side: 'BUY', amount: '0.0003', venueClientOrderId: 'ta02' });
    const [market] = exchange.markets;
    exchange.forceClose(account, market!, { amount: '0.00015', price: '59000', cause: 'ADL' });

    expect((await taker.positions!.fetchPositions()).positions).toMatchObject([{ amount: '0.00015' }]);
    const fills = await taker.fetchFillsSince({ symbol, since: new Date(Date.now() - 60_000) });
    expect(fills.map(({ amount }) => amount)).toEqual(['0.0003', '0.00015']);
    await recorder.until(() => recorder.positions.at(-1)?.amount === '0.00015');
    await recorder.until(() => recorder.fills.length === 2);
    expect(recorder.fills[1]).toMatchObject({ amount: '0.00015' });
  });

  it('are read as they are in order books', async () => {
    const { venue, exchange, account } = await open();
    const book = new BookStreamRecorder();
    venue.watchBook(symbol, book);
    await book.until(() => book.kinds.length > 0);
    exchange.place(account, {
      // The product offers whole contracts alone; other clients may trade less.
      market: Object.assign(exchange.markets[0]!, { step: '0.00001' }),
      clientOrderId: '',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      amount: exact('0.00025'),
      price: exact('50000'),
    });
    await book.until(() => book.bids.length === 1);
    expect(book.bids).toEqual([['50000', '0.00025']]);
    expect((await venue.fetchBook(symbol, 5)).bids).toEqual([['50000', '0.00025']]);
  });

  it('are sent where the contract allows them, so that a rest of a position can be closed', async () => {
    const { venue, exchange, maker, taker } = await open();
    const eth = 'ETH/USDT:USDT';
    expect(
      (await venue.fetchMarkets()).map(({ symbol: each, amountStep, minAmount }) => [
        each,
        amountStep,
        minAmount,
      ]),
    ).toEqual([
      [symbol, '0.0001', '0.0002'],
      [eth, '0.00001', '0.00001'],
    ]);
    const terms = { symbol: eth, type: 'LIMIT', timeInForce: 'GTC', price: '3000' } as const;
    const enter = { ...terms, reduceOnly: false, amount: '0.00015' } as const;
    await maker.placeOrder({ ...enter, side: 'SELL', amount: '0.00031', venueClientOrderId: 'ta01' });
    await taker.placeOrder({ ...enter, side: 'BUY', venueClientOrderId: 'ta02' });
    expect((await taker.positions!.fetchPositions()).positions).toMatchObject([{ amount: '0.00015' }]);
    await maker.placeOrder({ ...enter, side: 'BUY', price: '2999', venueClientOrderId: 'ta03' });
    await taker.placeOrder({
      symbol: eth,
      type: 'MARKET',
      timeInForce: 'IOC',
      side: 'SELL',
      amount: '0.00015',
      reduceOnly: true,
      venueClientOrderId: 'ta04',
    });
    expect((await taker.positions!.fetchPositions()).positions).toEqual([]);
    expect(exchange.orders.map(({ amount }) => amount.toString())).toEqual([
      '0.00031',
      '0.00015',
      '0.00015',
      '0.00015',
    ]);
  });

  it('are not sent where they are not allowed, or finer than allowed', async () => {
    const { exchange, taker } = await open();
    const terms = {
      type: 'LIMIT',
      timeInForce: 'GTC',
      price: '3000',
      side: 'BUY',
      reduceOnly: false,
    } as const;
    for (const order of [
      { symbol, amount: '0.00025', venueClientOrderId: 'ta01' },
      { symbol: 'ETH/USDT:USDT', amount: '0.000255', venueClientOrderId: 'ta02' },
    ])
      expect(await failureOf(taker.placeOrder({ ...terms, ...order }))).toMatch(/^rejected\//);
    expect(exchange.orders).toEqual([]);
  });
});
