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

/** Each exchange with its trading types: an account has one. */
export function ChooseExchange({ choice, onChoose, onNext }: ChooseExchangeProps) {
  const { data, isPending, isError, error, refetch } = useSupportedExchanges();
  if (isPending) return <Skeleton className="h-28 w-full" />;
  if (data === undefined) return isError && <ErrorState error={error} onRetry={() => void refetch()} />;
  const exchanges = data
    .filter(({ is_active, trading_types }) => is_active && trading_types.length > 0)
    .sort((a, b) => a.name.localeCompare(b.name));
  if (exchanges.length === 0)
    return (
      <EmptyState
        title="No exchange can be connected at the moment."
        action={<ButtonLink href="/status">Show status</ButtonLink>}
      />
    );
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (choice !== undefined) onNext();
      }}
    >
      {isError && <StaleNotice error={error} onRetry={() => void refetch()} />}
      <fieldset>
        <legend className="pb-2 font-medium text-sm">Which account do you connect?</legend>
        <ul className="rounded-card border">
          {exchanges.map((exchange) => (
            <li
              key={exchange.id}
              className="grid items-center gap-x-4 gap-y-2 border-t px-3 py-2.5 first:border-t-0 sm:grid-cols-[10rem_minmax(0,1fr)] sm:px-4"
            >
              <span className="font-medium text-sm">{exchange.name}</span>
              <span className="flex flex-wrap gap-1.5 sm:gap-2">
                {exchange.trading_types.map((tradingType) => (
                  <TypeOption
                    key={tradingType}
                    choice={{ exchange, tradingType }}
                    isChosen={choice?.exchange.id === exchange.id && choice.tradingType === tradingType}
                    onChoose={onChoose}
                  />
                ))}
              </span>
            </li>
          ))}
        </ul>
      </fieldset>
      {exchanges.some((exchange) =>
        exchange.trading_types.some((type) => isBeta({ exchange, tradingType: type })),
      ) && (
        <p className="text-muted text-sm">
          Beta: tests prove the connection, but no run at the exchange itself has been recorded. Begin with
          small amounts.
        </p>
      )}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabled={choice === undefined}>
          Continue
        </Button>
      </div>
    </form>
  );
}

const isBeta = ({ exchange, tradingType }: Choice) => exchange.stages[tradingType] === 'BETA';

interface TypeOptionProps {
  readonly choice: Choice;
  readonly isChosen: boolean;
  readonly onChoose: (choice: Choice) => void;
}

function TypeOption({ choice, isChosen, onChoose }: TypeOptionProps) {
  return (
    <label
      className={classNames(
        'flex h-8 cursor-pointer items-center gap-2 rounded-control border px-2 text-sm sm:px-2.5 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 pointer-coarse:h-10',
        isChosen && 'border-accent bg-accent-soft',
      )}
    >
      <input
        type="radio"
        name="exchange"
        checked={isChosen}
        onChange={() => onChoose(choice)}
        className="size-4 accent-accent"
      />
      <span className="sr-only">{choice.exchange.name} </span>
      {wordsOf(choice.tradingType)}
      {isBeta(choice) && <Badge>Beta</Badge>}
    </label>
  );
}
