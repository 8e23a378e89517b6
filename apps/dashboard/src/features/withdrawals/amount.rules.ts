import { Exact, isZero } from '../../format/decimals';

export interface WithdrawalTerms {
  readonly available: string;
  readonly currency: string;
  /** Undefined: not known before the request. */
  readonly fee?: string | undefined;
}

const DECIMAL = /^(?:0|[1-9]\d{0,19})(?:\.\d{1,18})?$/;

/** Returns what is wrong with the amount of a withdrawal, and how to fix it; undefined if it can be requested. */
export function amountProblem(
  text: string,
  { available, currency, fee }: WithdrawalTerms,
): string | undefined {
  if (text === '') return 'Enter the amount to withdraw.';
  if (!DECIMAL.test(text))
    return 'Enter a decimal number with a point, such as 12.5, with at most 18 decimals.';
  const amount = new Exact(text);
  if (isZero(amount)) return 'The amount must be greater than zero.';
  if (fee !== undefined && amount.lte(fee))
    return `The amount must be above the fee of ${fee} ${currency}; got ${text}.`;
  if (amount.gt(available))
    return `Your available balance is ${available} ${currency}; got ${text}. Withdraw less, or claim rewards first.`;
  return undefined;
}

/** Returns what is paid out of an amount; undefined while the fee is unknown or not covered. */
export function netOf(amount: string, fee: string | undefined): string | undefined {
  if (fee === undefined || !DECIMAL.test(amount)) return undefined;
  const net = new Exact(amount).minus(fee);
  return net.gt(0) ? net.toFixed() : undefined;
}
