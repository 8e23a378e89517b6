import { UNIT_DECIMALS } from '../engine/decimal.js';
import { CONTRACTS, type ContractSpec } from '../engine/futures/contracts.js';
import type { FuturesExchange } from '../engine/futures/futures-exchange.js';
import type { MarketSpec } from '../engine/symbols.js';
import { MarketHistory } from './history.js';

/** The mark prices since the start of the process, as candles. A change of the mark price counts as a trade of 0 lots. */
export class MarkHistories {
  private readonly bySymbol = new Map(CONTRACTS.map(({ id }) => [id, new MarketHistory()]));
  private readonly last = new Map<string, number>();

  constructor(futures: FuturesExchange, now: () => number) {
    const observe = (): void => {
      for (const { id } of CONTRACTS) this.add(id, futures.state.contracts.of(id).mark, now());
    };
    observe();
    futures.onCommit(observe);
  }

  of(spec: ContractSpec): MarketHistory {
    const history = this.bySymbol.get(spec.id);
    if (history === undefined) throw new Error(`Contract ${spec.id} does not exist.`);
    return history;
  }

  private add(symbol: string, mark: number, at: number): void {
    if (this.last.get(symbol) === mark) return;
    this.last.set(symbol, mark);
    const trade = {
      id: 0,
      symbol,
      priceTicks: mark,
      lots: 0,
      quote: 0n,
      isBuyerMaker: false,
      takerOrderId: 0,
      at,
    };
    this.bySymbol.get(symbol)?.add([trade]);
  }
}

/** Returns a contract whose ticks are the steps of its mark price. */
export function inMarkSteps(spec: ContractSpec): MarketSpec {
  return { ...spec, tickDecimals: UNIT_DECIMALS - spec.stepDecimals };
}
