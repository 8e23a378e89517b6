import { amountText, units } from './amounts.mjs';

/**
 * Compares the signals of strategies on perpetuals with the lots of their leaders. A fill may close lots and open others.
 *
 * @typedef {{
 *   tradeId: string, opened: string, open: string, signalled: string | null, openBySignals: string | null, isRewound: boolean,
 * }} LeaderLot what one order of a leader opened. `signalled`: covered by entry signals; `openBySignals`: what is open according to the
 *   last signal; `isRewound`: whether a fill that was reported late has rewound the lot book since
 */

/**
 * Signals cover everything that leaders opened and closed. After a late fill, lots may be open that signals have closed, because
 * emitted signals are never withdrawn; never the other way round.
 *
 * @param {{ leaderLots: readonly LeaderLot[] }} record
 */
export function findUnsignalledLots({ leaderLots }) {
  return leaderLots.flatMap(({ tradeId, opened, open, signalled, openBySignals, isRewound }) => {
    const name = `leader's trade ${tradeId}`;
    const bySignals = units(openBySignals ?? '0');
    const isAllowed = isRewound ? bySignals <= units(open) : bySignals === units(open);
    return [
      ...(isRewound || units(signalled ?? '0') === units(opened)
        ? []
        : [`${name}: opened ${amountText(units(opened))}, covered by signals ${signalled ?? 0}`]),
      ...(isAllowed
        ? []
        : [`${name}: ${amountText(units(open))} is open, ${amountText(bySignals)} according to signals`]),
    ];
  });
}
