'use client';
import type { TradePair } from '@trading-automation/sdk';
import { Command } from 'cmdk';
import { CandlestickChart } from 'lucide-react';
import { useEffect } from 'react';
import { useExchangeNames } from '../data/exchange-names';
import { pairSearchQuery } from '../data/pairs';
import { keepPreviousData, LATE, useQuery } from '../data/query';
import { pairsBeginningWith } from '../data/search-pairs.rules';
import { useSettled } from '../ui/use-settled';

const SHOWN_MAX = 6;
/** Too many pairs begin with one letter. */
const TYPED_MIN = 2;
const ALL_MARKETS = [] as const;

export interface PalettePairsProps {
  readonly search: string;
  /** The pairs whose base asset was typed, which are meant; otherwise the others that begin with the text. */
  readonly isNamed: boolean;
  readonly className: string;
  readonly onOpen: (href: string) => void;
  /** Called with the value of the first item when it changes. Pairs that load late would not be selected otherwise. */
  readonly onFirst?: (value: string) => void;
}

const itemValue = ({ id, symbol, exchange, trading_type }: TradePair<'string'>) =>
  `${symbol} ${exchange} ${trading_type} ${id}`;

/** The pairs whose symbol begins with what was typed. */
export function PalettePairs({ search, isNamed, className, onOpen, onFirst }: PalettePairsProps) {
  const exchangeName = useExchangeNames();
  const text = search.trim();
  const isSearched = text.length >= TYPED_MIN;
  const { data: pairs = [] } = useQuery({
    ...pairSearchQuery(useSettled(text), ALL_MARKETS),
    enabled: isSearched,
    meta: LATE,
    placeholderData: keepPreviousData,
  });
  const found = isSearched ? pairsBeginningWith(pairs, text, isNamed).slice(0, SHOWN_MAX) : [];
  const first = found[0] && itemValue(found[0]);
  useEffect(() => {
    if (first !== undefined) onFirst?.(first);
    // Only another first pair is selected, because the reader may have moved on.
  }, [first]);
  if (found.length === 0) return null;
  return (
    <Command.Group heading={isNamed ? 'Markets' : 'More markets'}>
      {found.map((pair) => (
        <Command.Item
          key={pair.id}
          value={itemValue(pair)}
          keywords={[`${pair.base}${pair.quote}`, `${pair.base} ${pair.quote}`]}
          onSelect={() => onOpen(`/markets/${pair.id}`)}
          className={className}
        >
          <CandlestickChart aria-hidden className="size-4" />
          {pair.symbol}
          <span className="ml-auto text-xs">{`${exchangeName(pair.exchange)}, ${pair.trading_type}`}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
