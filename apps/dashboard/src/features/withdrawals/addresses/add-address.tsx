'use client';
import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { withdrawalAddressCreate } from '@trading-automation/contracts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { api } from '../../../data/api';
import { formErrorsOf } from '../../../data/form-errors';
import { useSendOnce } from '../../../data/send-once';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Field, Input } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { useAddresses } from '../data';
import { addressProblem, hasChecksum, knownAddressProblem } from '../wallet-address.rules';

const schema = z.strictObject({
  label: z.preprocess((text) => (text === '' ? undefined : text), withdrawalAddressCreate.shape.label),
  address: z
    .string()
    .trim()
    .superRefine((address, context) => {
      const message = addressProblem(address);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
});
const FORM = 'add-address';
const NAMES = ['label', 'address'] as const;

/** Adds an address to the book. */
export function AddAddress({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const book = useAddresses().data ?? [];
  const once = useSendOnce();
  const [error, setError] = useState<unknown>();
  const form = useForm({
    defaultValues: { label: '', address: '' },
    resolver: zodResolver(schema),
    mode: 'onTouched',
  });
  const { errors, isSubmitting } = form.formState;
  const typed = form.watch('address').trim();
  const save = form.handleSubmit(async (values) => {
    setError(undefined);
    try {
      const { label, address } = values;
      const known = knownAddressProblem(address, book);
      if (known !== undefined) return form.setError('address', { message: known });
      const named = label === undefined ? {} : { label };
      const body = { address, ...named };
      await once(body, (idempotencyKey) => api().withdrawalAddresses.create(body, { idempotencyKey }));
      await queries.invalidateQueries({ queryKey: ['withdrawals', 'addresses'] });
      onClose();
    } catch (failure) {
      const { fields, isGeneral } = formErrorsOf(failure, NAMES);
      for (const name of NAMES)
        if (fields[name] !== undefined) form.setError(name, { message: fields[name] });
      if (isGeneral) setError(failure);
    }
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add an address"
      description="We mail a link that confirms it. If you have no verified e-mail address, it is added at once in the test world."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={FORM} variant="primary" isBusy={isSubmitting}>
            Add address
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={save} className="flex flex-col gap-3">
        <Field label="Label" hint="Such as Hardware wallet. The mail shows it." error={errors.label?.message}>
          <Input {...form.register('label')} autoComplete="off" />
        </Field>
        <Field
          label="Wallet address"
          error={errors.address?.message}
          hint={
            typed !== '' && addressProblem(typed) === undefined
              ? hasChecksum(typed)
                ? 'The checksum in the letter case is valid.'
                : 'This address has no checksum in its letter case: compare every digit with your wallet.'
              : '0x and 40 hex digits. Copy it with its letter case, which is its checksum.'
          }
        >
          <Input
            {...form.register('address')}
            autoComplete="off"
            spellCheck={false}
            placeholder="0x…"
            className="font-mono"
          />
        </Field>
        {error !== undefined && <FormError error={error} />}
      </form>
    </Dialog>
  );
}
