/** A connection for public data: https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams */
import { z } from 'zod';
import type { Source, StreamConnection, StreamSession } from '../../../../conformance/scripted/dialect.js';
import type { BookChange, ExchangeEvent, ScriptedMarket } from '../../../../conformance/scripted/model.js';
import { idOf } from './common.js';

const ACKNOWLEDGEMENT: Source = {
  page: 'https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams',
};
const request = z.strictObject({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE']),
  params: z.array(z.string()).min(1),
  id: z.number().int(),
});

export class MarketSession implements StreamSession {
  readonly #streams = new Set<string>();

  /** @param kinds the ends of the names of streams that this address serves */
  constructor(
    protected readonly connection: StreamConnection,
    private readonly kinds: string | readonly string[],
  ) {}

  onMessage(text: string): void {
    const { method, params, id } = request.parse(JSON.parse(text));
    for (const stream of params) {
      if (!this.#isServed(stream)) throw new Error(`this address has no stream ${stream}`);
      if (method === 'SUBSCRIBE') this.#streams.add(stream);
      else this.#streams.delete(stream);
    }
    this.connection.send({ result: null, id }, ACKNOWLEDGEMENT);
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'book' && this.#has(event.market, '@depth@100ms'))
      this.onBook(event.market, event.change);
    if (event.kind === 'trade' && this.#has(event.market, '@miniTicker')) this.onTrade(event.market);
  }

  protected onBook(_market: ScriptedMarket, _change: BookChange): void {}

  protected onTrade(_market: ScriptedMarket): void {}

  #isServed(stream: string): boolean {
    return [this.kinds].flat().some((kind) => stream.endsWith(kind));
  }

  #has(market: ScriptedMarket, kind: string): boolean {
    return this.#streams.has(`${idOf(market).toLowerCase()}${kind}`);
  }
}
