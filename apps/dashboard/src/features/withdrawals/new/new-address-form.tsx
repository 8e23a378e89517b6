'use client';
import { useForm } from 'react-hook-form';
import { Button } from '../../../ui/button';
import { Field, Input } from '../../../ui/field';
import { addressProblem, hasChecksum } from '../wallet-address.rules';
import type { WithdrawalDraft } from './flow';

/** An address that is not in the book. The test world sends tokens to it. */
export function NewAddressForm({
  initial,
  onBack,
  onNext,
}: {
  readonly initial: string;
  readonly onBack: () => void;
  readonly onNext: (chosen: Pick<WithdrawalDraft, 'address' | 'label'>) => void;
}) {
  const form = useForm({ defaultValues: { address: initial }, mode: 'onTouched' });
  const address = form.watch('address').trim();
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((values) => onNext({ address: values.address.trim(), label: undefined }))}
      className="flex flex-col gap-3"
    >
      <Field
        label="Wallet address"
        error={form.formState.errors.address?.message}
        hint={
          address !== '' && addressProblem(address) === undefined
            ? hasChecksum(address)
              ? 'The checksum in the letter case is valid.'
              : 'This address has no checksum in its letter case: compare every digit with your wallet.'
            : '0x and 40 hex digits. The letter case is its checksum; copy it from your wallet as it is.'
        }
      >
        <Input
          {...form.register('address', { validate: (text) => addressProblem(text.trim()) ?? true })}
          autoComplete="off"
          spellCheck={false}
          placeholder="0x…"
          className="font-mono"
        />
      </Field>
      <div className="flex gap-2">
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" variant="primary">
          Continue
        </Button>
      </div>
    </form>
  );
}
