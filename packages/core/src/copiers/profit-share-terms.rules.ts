/** Decides which profit share a copier has, is offered, and may accept. The functions are pure. */
import {
  type Copier,
  canonicalDecimal,
  type Decimal,
  type ProfitSharePeriod,
} from '@trading-automation/contracts';
import { BigDecimal, utcPeriodAt } from '../values/index.js';

/** Terms that a copier accepted for its strategy. Dates are strings, because the database returns them as JSON. */
interface AcceptedTerms {
  readonly rate: Decimal;
  readonly period: ProfitSharePeriod;
  readonly acceptedAt: string;
  /** The time from which the terms are in effect; null: from the beginning. */
  readonly since: string | null;
}

/** What a copier accepted and what its strategy offers now. */
export interface ProfitShareState {
  /** The terms in effect, then those that were accepted for the next period; null before the first start. */
  readonly accepted: readonly AcceptedTerms[] | null;
  /** Null if the copier follows no strategy. The period is null if the strategy has no profit share. */
  readonly offered: { readonly rate: Decimal; readonly period: ProfitSharePeriod | null } | null;
}

export interface OfferedTerms {
  readonly rate: Decimal;
  readonly period: ProfitSharePeriod;
}

/** Returns the terms that the strategy offers; null if they are those that the copier accepted last. */
export function offerOf({ accepted, offered }: ProfitShareState): OfferedTerms | null {
  const last = accepted?.at(-1);
  if (last === undefined || offered === null) return null;
  const offer = {
    rate: canonicalDecimal(offered.rate),
    // A strategy without a profit share has no period, so the copier keeps its own.
    period: offered.period ?? last.period,
  };
  const isFree = new BigDecimal(offer.rate).isZero();
  const isSame = new BigDecimal(offer.rate).eq(last.rate) && (isFree || offer.period === last.period);
  return isSame ? null : offer;
}

/**
 * Returns the time from which newly accepted terms are in effect: the end of the current period.
 *
 * @param period the period of the terms that are in effect now
 */
export function effectiveFrom(period: ProfitSharePeriod, now: Date): Date {
  return utcPeriodAt(period, now).to;
}

/** Returns the fields of a copier's record that show its profit share. */
export function viewProfitShare(
  state: ProfitShareState,
): Pick<Copier, 'profit_share' | 'profit_share_offer'> {
  const [current, next] = state.accepted ?? [];
  const offer = offerOf(state);
  return {
    profit_share:
      current === undefined
        ? undefined
        : {
            rate: canonicalDecimal(current.rate),
            period: current.period,
            accepted_at: new Date(current.acceptedAt).toISOString(),
            ...(next === undefined || next.since === null
              ? {}
              : {
                  next: {
                    rate: canonicalDecimal(next.rate),
                    period: next.period,
                    from: new Date(next.since).toISOString(),
                  },
                }),
          },
    profit_share_offer: offer ?? undefined,
  };
}
