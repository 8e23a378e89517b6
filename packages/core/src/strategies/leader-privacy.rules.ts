/**
 * Masks what the followers of a strategy may not know: the amounts that its account holds and trades. Pure. Every view
 * that a user other than the strategy's owner can read applies these rules; stored rows stay exact.
 *
 * 1. Amounts of the leader are omitted.
 * 2. The ratio of a copy to the copied trade, and values that are proportional to an amount of the leader, have two
 *    significant digits. Exact values would not hide the amounts: amounts are multiples of the pair's step, so an exact
 *    quotient of two of them, in lowest terms, contains both.
 * 3. The ratio is computed from the leader's equity or amount rounded to two significant digits (`maskedRatioOf`).
 *    Otherwise a user who varies the sizing and watches where the ratio changes could compute them exactly.
 * 4. So are the amounts that a decision requests, its reason and the numbers of the reason (`masked-plan.rules.ts`).
 * 5. Performance figures have few decimals, for the same reason.
 */
import type { Decimal } from '@trading-automation/contracts';
import { coarse } from '../values/index.js';

type Inputs = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Amounts of the strategy's account in the inputs of a decision, and what depends on several of them: what the copier gave up
 * of earlier entries.
 */
const SECRET_INPUTS: ReadonlySet<string> = new Set([
  'leader_amount',
  'exit_amount',
  'lot_amount_before',
  'forgone_before',
  // The quotient of a rounded and an exact amount, in decisions of earlier versions.
  'mask',
]);

/** Inputs that the copier knows without the signal: its own settings, balances and orders. */
const KNOWN_INPUTS: ReadonlySet<string> = new Set(['age_ms', 'held', 'sent_before', 'limit']);
/** Prices and differences of prices are public. */
const PUBLIC_INPUT = /(?:price|mid|bps)$/;

/** The rules whose `value` does not depend on the size of the leader's fill. The values of all other rules are masked. */
const UNSIZED_RULES: ReadonlySet<unknown> = new Set([
  'max_daily_loss_quote',
  'max_drawdown_percent',
  'max_slippage_bps',
  'price_tick',
]);

/** Returns the inputs of a decision as the strategy's owner may see them. */
export function ownInputs({ masked_ratio: _, masked_target: __, ...inputs }: Inputs): Inputs {
  return inputs;
}

/** Returns the amount that a decision requests, as other users may see it. @param inputs of the decision, as they are stored */
export function maskTarget(amount: Decimal, { masked_target }: Inputs): Decimal {
  return coarse(typeof masked_target === 'string' ? masked_target : amount);
}

/** Returns the inputs of a decision as other users may see them. An unknown decimal is masked. */
export function maskInputs({ masked_ratio, masked_target: _, ...exact }: Inputs): Inputs {
  const inputs =
    masked_ratio === undefined || masked_ratio === null ? exact : { ...exact, ratio: masked_ratio };
  const masked = Object.entries(inputs)
    .filter(([name]) => !SECRET_INPUTS.has(name))
    .map(([name, value]) => [name, maskInput(name, value, inputs)] as const);
  return Object.fromEntries(masked);
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function maskInput(name: string, value: Inputs[string], inputs: Inputs) {
  const isKnown = KNOWN_INPUTS.has(name) || PUBLIC_INPUT.test(name);
  if (isKnown || typeof value !== 'string' || !DECIMAL.test(value)) return value;
  if (name !== 'value') return coarse(value);
  return UNSIZED_RULES.has(inputs.rule) ? value : coarse(value);
}
