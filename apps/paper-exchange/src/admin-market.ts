import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  amount,
  contractNamed,
  contractSpecOf,
  isContractName,
  lotsOf,
  read,
  specOf,
  ticksOf,
  unitsOf,
} from './admin-input.js';
import { formatPlain, parseUnits, UNIT_DECIMALS } from './engine/decimal.js';
import { type ContractSpec, contractPair, markOfTicks } from './engine/futures/contracts.js';
import { type MarketSpec, pairOf } from './engine/symbols.js';
import { VenueError } from './errors.js';
import type { FuturesVenue } from './futures-venue.js';
import type { MarketMaker } from './market/maker.js';
import { ticksIn } from './market/spot-reference.js';

const MarketBody = z.strictObject({ symbol: z.string(), price: amount, mark_price: amount.optional() });
const level = z.tuple([amount, amount]);
const BookBody = z.strictObject({
  symbol: z.string(),
  bids: z.array(level).max(100),
  asks: z.array(level).max(100),
});

export interface AdminMarkets {
  readonly maker: MarketMaker;
  readonly venue: FuturesVenue;
}

/** Adds the admin calls that move prices and replace books. */
export function addMarketCalls(app: FastifyInstance, { maker, venue }: AdminMarkets): void {
  app.post('/market', (req) => {
    const body = read(MarketBody, req.body);
    const contract = contractNamed(body.symbol);
    const mark = contract === undefined ? undefined : markStepsOf(contract, body.mark_price);
    if (isContractName(body.symbol)) {
      const spec = contractSpecOf(body.symbol);
      moveContract(venue, spec, ticksOf(spec, body.price), mark);
      return { symbol: contractPair(spec), price: formatPlain(unitsOf(body.price)) };
    }
    const spec = specOf(body.symbol);
    const ticks = ticksOf(spec, body.price);
    maker.moveTo(spec, ticks);
    // A contract follows the spot market with its pair.
    if (contract !== undefined) moveContract(venue, contract, ticksIn(contract, spec, ticks), mark);
    return { symbol: pairOf(spec), price: formatPlain(unitsOf(body.price)) };
  });
  app.put('/book', (req) => {
    const body = read(BookBody, req.body);
    const isContract = isContractName(body.symbol);
    const spec = isContract ? contractSpecOf(body.symbol) : specOf(body.symbol);
    const bids = levelsOf(spec, body.bids);
    const asks = levelsOf(spec, body.asks);
    const priceOf = ([ticks]: readonly [number, number]) => ticks;
    if (Math.max(...bids.map(priceOf)) >= Math.min(...asks.map(priceOf)))
      throw new VenueError(-1100, 'the best bid must be below the best ask');
    (isContract ? venue.maker : maker).quote(spec, bids, asks);
    const symbol = isContract ? contractPair(contractSpecOf(body.symbol)) : pairOf(spec);
    return { symbol, bids: bids.length, asks: asks.length };
  });
}

/**
 * Moves the price of a contract. Resting orders that it crosses fill and conditional orders trigger before the mark price
 * changes, so that a stop protects a position from liquidation. Without `mark`, the mark price becomes the price.
 */
function moveContract(
  { maker, context: { futures } }: FuturesVenue,
  spec: ContractSpec,
  ticks: number,
  mark: number | undefined,
): void {
  futures.holdMark(spec);
  maker.moveTo(spec, ticks);
  futures.setMark(spec, mark ?? markOfTicks(spec, ticks), mark !== undefined);
}

function markStepsOf(spec: ContractSpec, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const decimals = UNIT_DECIMALS - spec.stepDecimals;
  const steps = parseUnits(text, decimals);
  if (typeof steps !== 'bigint' || steps === 0n || steps > BigInt(markOfTicks(spec, spec.maxTicks)))
    throw new VenueError(
      -1100,
      `mark_price must be a positive decimal with at most ${decimals} decimal places`,
    );
  return Number(steps);
}

function levelsOf(spec: MarketSpec, levels: readonly (readonly [string, string])[]): [number, number][] {
  return levels.map(([price, size]) => [ticksOf(spec, price), lotsOf(spec, size)]);
}
