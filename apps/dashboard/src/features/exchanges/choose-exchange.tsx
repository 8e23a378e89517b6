'use client';
import type { SupportedExchange } from '@trading-automation/sdk';
import { useSupportedExchanges } from '../../data/exchange-names';
import { Badge } from '../../ui/badge';
import { Button, ButtonLink } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { wordsOf } from '../../ui/status';

export interface Choice {
  readonly exchange: SupportedExchange;
  readonly tradingType: SupportedExchange['trading_types'][number];
}

interface ChooseExchangeProps {
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
  readonly onNext: () => void;
}

/** Each exchange with each of its trading types: an account has one. */
export function ChooseExchange({ choice, onChoose, onNext }: ChooseExchangeProps) {
  const { data, isPending, isError, error, refetch } = useSupportedExchanges();
  if (isPending) return <Skeleton className="h-28 w-full" />;
  if (data === undefined) return isError && <ErrorState error={error} onRetry={() => void refetch()} />;
  const choices = data
    .filter(({ is_active }) => is_active)
    .flatMap((exchange) => exchange.trading_types.map((tradingType) => ({ exchange, tradingType })));
  if (choices.length === 0)
    return (
      <EmptyState
        title="No exchange can be connected at the moment."
        action={<ButtonLink href="/status">Show status</ButtonLink>}
      />
    );
  const isChosen = ({ exchange, tradingType }: Choice) =>
    choice?.exchange.id === exchange.id && choice.tradingType === tradingType;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (choice !== undefined) onNext();
      }}
    >
      {isError && <StaleNotice error={error} onRetry={() => void refetch()} />}
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="pb-2 font-medium text-sm">Which account do you connect?</legend>
        {choices.map((option) => (
          <label
            key={`${option.exchange.id} ${option.tradingType}`}
            className={classNames(
              'flex cursor-pointer items-center gap-3 rounded-card border px-4 py-3 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2',
              isChosen(option) && 'border-accent bg-accent-soft',
            )}
          >
            <input
              type="radio"
              name="exchange"
              checked={isChosen(option)}
              onChange={() => onChoose(option)}
              className="size-4 accent-accent"
            />
            <span>
              <span className="block font-medium">{option.exchange.name}</span>
              <span className="flex items-center gap-2 text-muted text-sm">
                {wordsOf(option.tradingType)}
                {option.exchange.stages[option.tradingType] === 'BETA' && <Badge tone="warn">Beta</Badge>}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabled={choice === undefined}>
          Continue
        </Button>
      </div>
    </form>
  );
}
