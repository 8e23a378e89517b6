'use client';
import { Amount } from '../../ui/values';
import { type Holdings, positionsWord } from './open-lots.rules';

/** "3 positions worth 1,204.10 USDT". */
export function HeldPositions({ holdings }: { readonly holdings: Holdings }) {
  return (
    <>
      {positionsWord(holdings.positions)} worth{' '}
      {holdings.values.map(({ currency, value }, i) => (
        <span key={currency}>
          {i > 0 && ' and '}
          <Amount value={value} asset={currency} digits={2} />
        </span>
      ))}
    </>
  );
}
