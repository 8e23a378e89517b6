'use client';
import type { CredentialsTestResult } from '@trading-automation/sdk';
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { api } from '../../data/api';
import { Button } from '../../ui/button';
import { wordsOf } from '../../ui/status';
import type { Choice } from './choose-exchange';
import { CredentialFields, type CredentialsForm, lacksPassphrase } from './credential-fields';
import { CredentialsError } from './credentials-error';

interface TestCredentialsProps {
  readonly choice: Choice;
  readonly form: UseFormReturn<CredentialsForm>;
  readonly onBack: () => void;
  /** @param canWithdraw what the exchange reports; null if it does not */
  readonly onNext: (canWithdraw: boolean | null) => void;
}

/** Tests the credentials at the exchange. Nothing is stored by this. */
export function TestCredentials({ choice, form, onBack, onNext }: TestCredentialsProps) {
  const [tested, setTested] = useState<{ readonly of: string; readonly result: CredentialsTestResult }>();
  const [error, setError] = useState<unknown>();
  const credentials = form.watch('credentials');
  const result = tested?.of === JSON.stringify(credentials) ? tested.result : undefined;
  const test = form.handleSubmit(async (values) => {
    setError(undefined);
    setTested(undefined);
    if (lacksPassphrase(form, choice.exchange)) return;
    try {
      const outcome = await api().exchanges.test({
        exchange: choice.exchange.id,
        trading_type: choice.tradingType as 'spot' | 'margin' | 'perpetual',
        credentials: values.credentials,
      });
      setTested({ of: JSON.stringify(values.credentials), result: outcome });
    } catch (failure) {
      setError(failure);
    }
  });
  const isUsable = result !== undefined && !result.can_withdraw;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        if (!isUsable) return void test(event);
        event.preventDefault();
        onNext(result.can_withdraw);
      }}
    >
      <CredentialFields form={form} exchange={choice.exchange} />
      <div role="status">{result !== undefined && <TestResult result={result} />}</div>
      {error !== undefined && <CredentialsError error={error} exchange={choice.exchange} />}
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        <Button onClick={onBack}>Back</Button>
        {isUsable ? (
          <Button type="submit" variant="primary">
            Continue
          </Button>
        ) : (
          <Button type="submit" variant="primary" isBusy={form.formState.isSubmitting}>
            {form.formState.isSubmitting ? 'Testing credentials' : 'Test credentials'}
          </Button>
        )}
      </div>
    </form>
  );
}

function TestResult({ result }: { readonly result: CredentialsTestResult }) {
  const types = result.trading_types.map((type) => wordsOf(type).toLowerCase()).join(', ');
  return (
    <div className="rounded-card border px-3 py-2 text-sm">
      <p className="pb-1 font-medium">The exchange accepted the credentials</p>
      <ul className="flex flex-col gap-1">
        <Line isGood text={`Reads balances, orders and trades: ${types}`} />
        {result.can_trade === true && <Line isGood text="Places and cancels orders" />}
        {result.can_trade === false && <Line text="Cannot trade: orders on this account will fail" />}
        {result.can_trade === null && <Line text="The exchange does not report whether it can trade" />}
        {result.can_withdraw === null && (
          <Line text="The exchange does not report whether it can withdraw. Check it there." />
        )}
        {result.can_withdraw === true && (
          <li className="flex gap-2">
            <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-loss" />
            Can withdraw: turn this right off at the exchange, then test again
          </li>
        )}
        {result.can_withdraw === false && <Line isGood text="Cannot withdraw" />}
      </ul>
    </div>
  );
}

function Line({ text, isGood = false }: { readonly text: string; readonly isGood?: boolean }) {
  const Icon = isGood ? CircleCheck : TriangleAlert;
  return (
    <li className="flex gap-2">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isGood ? 'text-gain' : 'text-warn'}`} />
      {text}
    </li>
  );
}
