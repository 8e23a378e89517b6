'use client';
import Link from 'next/link';
import { useForm } from 'react-hook-form';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Field, Input } from '../../../ui/field';
import { Amount } from '../../../ui/values';
import { amountProblem, netOf } from '../amount.rules';
import type { KnownTerms, WithdrawalDraft } from './flow';

export function AmountStep({
  draft,
  terms,
  onNext,
}: {
  readonly draft: WithdrawalDraft;
  readonly terms: KnownTerms;
  readonly onNext: (amount: string) => void;
}) {
  const form = useForm({ defaultValues: { amount: draft.amount }, mode: 'onTouched' });
  const { available, currency, fee } = terms;
  const typed = form.watch('amount').trim();
  const net = netOf(typed, fee);
  const isEmpty = available === '0';
  return (
    <Card title="How much do you want to withdraw?">
      <form
        noValidate
        onSubmit={form.handleSubmit(({ amount }) => onNext(amount.trim()))}
        className="flex flex-col gap-3"
      >
        <Field
          label={`Amount in ${currency}`}
          aside={
            <>
              Available <Amount value={available} digits={18} />
            </>
          }
          error={form.formState.errors.amount?.message}
          hint={
            net === undefined ? (
              'The fee is deducted from this amount.'
            ) : (
              <>
                You receive <Amount value={net} asset={currency} digits={18} /> after the fee of{' '}
                <Amount value={fee} asset={currency} />.
              </>
            )
          }
        >
          <span className="flex gap-2">
            <Input
              {...form.register('amount', { validate: (text) => amountProblem(text.trim(), terms) ?? true })}
              inputMode="decimal"
              autoComplete="off"
              placeholder="0.00"
            />
            <Button
              disabled={isEmpty}
              onClick={() => form.setValue('amount', available, { shouldValidate: true, shouldDirty: true })}
            >
              Use all
            </Button>
          </span>
        </Field>
        {isEmpty && (
          <p role="status" className="rounded-card border bg-hover px-3 py-2 text-sm">
            Your available balance is empty.{' '}
            <Link href="/rewards" className="text-accent-text underline">
              Claim rewards
            </Link>{' '}
            first.
          </p>
        )}
        <Button type="submit" variant="primary" disabled={isEmpty} className="self-end">
          Continue
        </Button>
      </form>
    </Card>
  );
}
