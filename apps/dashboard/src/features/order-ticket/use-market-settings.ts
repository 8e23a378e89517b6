'use client';
import { useState } from 'react';
import { usePositions } from '../../data/perpetual-positions';
import { heldPosition } from './held-position.rules';
import type { Pair } from './order.rules';

export interface MarketSettings {
  /** Null if it is not known. */
  readonly leverage: string | null;
  readonly max_leverage: string | null;
  readonly margin_mode?: string | undefined;
}

const UNKNOWN: MarketSettings = { leverage: null, max_leverage: null };

/**
 * The position of an account in a perpetual, and its leverage there. The API shows the leverage of open positions alone; one
 * that the user sets in the ticket is known, too.
 */
export function useMarketSettings(accountId: string | undefined, pair: Pair) {
  const positions = usePositions(pair.trading_type === 'perpetual');
  const [changed, setChanged] = useState<{ readonly accountId: string; readonly settings: MarketSettings }>();
  const held = heldPosition(positions, accountId, pair.id);
  const position = held.state === 'known' ? held.position : undefined;
  const ofChange = changed?.accountId === accountId ? changed?.settings : undefined;
  return {
    held,
    position,
    settings: position?.leverage == null ? (ofChange ?? position ?? UNKNOWN) : position,
    onChanged(settings: MarketSettings) {
      if (accountId !== undefined) setChanged({ accountId, settings });
    },
  };
}
