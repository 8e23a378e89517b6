'use client';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useExchangeNames } from '../../data/exchange-names';
import { FOUND_MAX, pairSearchQuery } from '../../data/pairs';
import { keepPreviousData, LATE, useQuery } from '../../data/query';
import type { Market } from '../../data/search-pairs.rules';
import { classNames } from '../../ui/class-names';
import { Field, Input } from '../../ui/field';
import { useSettled } from '../../ui/use-settled';
import type { Pair } from './order.rules';

export interface PairPickerProps {
  /** The markets whose pairs can be chosen; all if there are none. */
  readonly markets: readonly Market[];
  readonly value: Pair;
  readonly onChange: (pair: Pair) => void;
}

/** A pair, chosen from a list or found by typing. */
export function PairPicker({ markets, value, onChange }: PairPickerProps) {
  const listId = useId();
  const exchangeName = useExchangeNames();
  const [text, setText] = useState<string>();
  const [active, setActive] = useState(0);
  const [confirmed, setConfirmed] = useState<string>();
  const isOpen = text !== undefined;
  const search = useSettled(text ?? '');
  const matching = useQuery({
    ...pairSearchQuery(search, markets),
    enabled: isOpen,
    meta: LATE,
    placeholderData: keepPreviousData,
  });
  const found = matching.data?.slice(0, FOUND_MAX) ?? [];
  // What was found for the text before must not be chosen for this one.
  const isSearching = search !== (text ?? '') || matching.isPlaceholderData;
  const choose = (pair: Pair | undefined) => {
    if (pair === undefined) return;
    onChange(pair);
    setText(undefined);
  };
  // For a reader who types a symbol and presses Enter before its search has ended.
  useEffect(() => {
    if (confirmed === undefined || confirmed !== text || isSearching || matching.isPending) return;
    setConfirmed(undefined);
    choose(found[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return setText('');
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((now) => Math.max(Math.min(now + step, found.length - 1), 0));
    }
    if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      if (isSearching || matching.isPending) setConfirmed(text);
      else choose(found[active]);
    }
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      setText(undefined);
    }
  };
  return (
    <div className="relative">
      <Field label="Pair">
        <span className="relative block">
          <Input
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && found[active] ? `${listId}-${active}` : undefined}
            autoComplete="off"
            placeholder="Choose or search a pair"
            value={text ?? `${value.symbol}, ${exchangeName(value.exchange)}, ${value.trading_type}`}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
              setConfirmed(undefined);
            }}
            onFocus={(event) => event.target.select()}
            onClick={() => setText((now) => now ?? '')}
            onBlur={() => setText(undefined)}
            onKeyDown={onKeyDown}
            className="pr-8"
          />
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-2 size-4 -translate-y-1/2 text-muted"
          />
        </span>
      </Field>
      <div
        id={listId}
        role="listbox"
        aria-label="Pairs"
        className={classNames(
          'absolute inset-x-0 top-full z-30 mt-1 max-h-72 overflow-y-auto rounded-card border bg-surface p-1 shadow-float',
          !isOpen && 'hidden',
        )}
      >
        {found.map((pair, i) => (
          <div
            key={pair.id}
            id={`${listId}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            onPointerDown={(event) => {
              // The input keeps the focus until the choice is made.
              event.preventDefault();
              choose(pair);
            }}
            onPointerEnter={() => setActive(i)}
            className={classNames(
              'flex h-8 cursor-pointer items-center justify-between gap-3 rounded-control px-2 text-sm pointer-coarse:h-10',
              i === active && 'bg-selected',
            )}
          >
            <span className="font-medium">{pair.symbol}</span>
            <span className="text-muted text-xs">{`${exchangeName(pair.exchange)}, ${pair.trading_type}`}</span>
          </div>
        ))}
        {found.length === FOUND_MAX && (
          <p className="px-2 py-1.5 text-muted text-xs">Type to find other pairs.</p>
        )}
        {found.length === 0 && (
          <p role="status" className="px-2 py-1.5 text-muted text-sm">
            {matching.isError
              ? 'The pairs could not be loaded.'
              : matching.isPending || isSearching
                ? 'Searching…'
                : 'No pair matches.'}
          </p>
        )}
      </div>
    </div>
  );
}
