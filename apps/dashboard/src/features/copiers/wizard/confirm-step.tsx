'use client';
/** The terms and all consequences, before the copier starts. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../data/api';
import { byId, useAccounts } from '../../../data/names';
import { periodWord } from '../../../data/profit-share';
import { formatRate } from '../../../format/numbers';
import { usePreferences } from '../../../format/preferences';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Detail, Details } from '../../../ui/details';
import { Checkbox } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { BREACH_SENTENCES, limitLines, sizingWords } from '../copier-words';
import type { CopierRow, StrategyRecord } from '../use-copier';

export interface ConfirmStepProps {
  readonly strategy: StrategyRecord;
  readonly copier: CopierRow;
  readonly onBack: () => void;
  readonly onStarted: () => void;
}

export function ConfirmStep({ strategy, copier, onBack, onStarted }: ConfirmStepProps) {
  const queries = useQueryClient();
  const { locale } = usePreferences();
  const [isAccepted, setAccepted] = useState(false);
  const [copiesExisting, setExisting] = useState(copier.copy_existing);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await api().copiers.start(copier.id, { copy_existing: copiesExisting });
      await queries.invalidateQueries({ queryKey: ['copiers'] });
      onStarted();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Summary strategy={strategy} copier={copier} />
        <Card title="What happens when it starts">
          <ul className="flex list-disc flex-col gap-2 pl-4 text-sm">
            <li>
              The copier buys and sells on your account without asking, whenever {strategy.name} trades, also
              while you do not watch it.
            </li>
            <li>
              Entries stay within your limits. Exits of the strategy are copied as market orders, without
              limits.
            </li>
            <li>
              You can lose money, up to everything that the copier may hold. Losses of the strategy are yours,
              too.
            </li>
            <li>
              {BREACH_SENTENCES[copier.on_breach] === undefined
                ? 'At a loss limit the copier stops.'
                : `${BREACH_SENTENCES[copier.on_breach]} Open positions are not closed.`}
            </li>
            <li>Stopping the copier closes no position. You close what is left yourself.</li>
            <li>{shareWords(strategy, locale)}</li>
          </ul>
          <div className="mt-4 flex flex-col gap-3 border-t pt-4">
            <Checkbox
              label="Also copy what the strategy holds now"
              hint="Buys open lots at the current price, within the slippage limit. Otherwise only lots that it opens from now on."
              checked={copiesExisting}
              onChange={(event) => setExisting(event.target.checked)}
            />
            <Checkbox
              label="I accept these consequences and the profit share"
              checked={isAccepted}
              onChange={(event) => setAccepted(event.target.checked)}
            />
          </div>
        </Card>
      </div>
      {failure !== undefined && (
        <div className="pt-4">
          <FormError error={failure} />
        </div>
      )}
      <div className="flex justify-end gap-2 pt-4">
        <Button onClick={onBack}>Back</Button>
        <Button variant="primary" disabled={!isAccepted} isBusy={isBusy} onClick={() => void start()}>
          Start copying
        </Button>
      </div>
    </>
  );
}

function Summary({ strategy, copier }: Pick<ConfirmStepProps, 'strategy' | 'copier'>) {
  const { locale } = usePreferences();
  const account = byId(useAccounts().data, copier.exchange_account_id);
  return (
    <Card title="What you have chosen">
      <Details>
        <Detail name="Copier">{copier.name}</Detail>
        <Detail name="Strategy">{strategy.name}</Detail>
        <Detail name="Account">{account?.account_name ?? '…'}</Detail>
        <Detail name="Sizing">{sizingWords(copier.sizing, locale)}</Detail>
        {limitLines(copier.limits, locale).map(({ name, value }) => (
          <Detail key={name} name={name}>
            {value}
          </Detail>
        ))}
      </Details>
    </Card>
  );
}

function shareWords({ profit_share: share }: StrategyRecord, locale: string | undefined): string {
  if (share === undefined || Number(share.rate) === 0)
    return 'There is no profit share. One that the owner adds later applies only if you accept it.';
  return `Profit share: ${formatRate(share.rate, locale)} of the profit above your highest result, settled each ${periodWord(share.period)}. The owner gets it in tokens of the platform; nothing is taken from your account. The start freezes these terms: a raise needs your consent.`;
}
