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
 * 4. So are the amounts that an entry requests: `mask` is the fraction that the leader traded of its equity or order, rounded
 *    to two digits, ÷ that fraction.
 * 5. Performance figures have few decimals, for the same reason.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal, coarse } from '../values/index.js';

type Inputs = Readonly<Record<string, string | number | boolean | null>>;

/** Amounts of the strategy's account in the inputs of a decision. */
const SECRET_INPUTS: ReadonlySet<string> = new Set(['leader_amount', 'exit_amount', 'lot_amount_before']);

/** Inputs that the copier knows without the signal: its own settings, balances and orders. */
const KNOWN_INPUTS: ReadonlySet<string> = new Set(['age_ms', 'held', 'sent_before', 'limit']);
/** Prices and differences of prices are public. */
const PUBLIC_INPUT = /(?:price|mid|bps)$/;

/** The rules whose `value` is computed from the size of the leader's fill. The values of other rules are not masked. */
const SIZED_RULES: ReadonlySet<string> = new Set([
  'max_trade_quote',
  'max_open_quote',
  'max_amount',
  'max_notional',
  'min_amount',
  'min_notional',
  'free_quote',
  'free_base',
]);

/** Returns the inputs of a decision as the strategy's owner may see them. */
export function ownInputs({ masked_ratio: _, mask: __, ...inputs }: Inputs): Inputs {
  return inputs;
}

/** Returns an amount that a decision requests, as other users may see it. @param inputs of the decision, as they are stored */
export function maskAmount(amount: Decimal, { mask }: Inputs): Decimal {
  return coarse(typeof mask === 'string' ? new BigDecimal(amount).times(mask).toString() : amount);
}

/** Returns the inputs of a decision as other users may see them. An unknown decimal is masked. */
export function maskInputs({ masked_ratio, mask, ...exact }: Inputs): Inputs {
  const inputs =
    masked_ratio === undefined || masked_ratio === null ? exact : { ...exact, ratio: masked_ratio };
  const masked = Object.entries(inputs)
    .filter(([name]) => !SECRET_INPUTS.has(name))
    .map(
      ([name, value]) =>
        [
          name,
          isMasked(name, inputs) ? maskValue(value, name === 'value' ? mask : undefined) : value,
        ] as const,
    );
  return Object.fromEntries(masked);
}

function isMasked(name: string, { rule }: Inputs): boolean {
  if (KNOWN_INPUTS.has(name) || PUBLIC_INPUT.test(name)) return false;
  return name !== 'value' || (typeof rule === 'string' && SIZED_RULES.has(rule));
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const maskValue = (value: Inputs[string], mask: Inputs[string] | undefined) =>
  typeof value === 'string' && DECIMAL.test(value) ? maskAmount(value, { mask: mask ?? null }) : value;
