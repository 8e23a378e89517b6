'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Me } from '@trading-automation/sdk';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../data/api';
import { formErrorsOf } from '../../data/form-errors';
import { includesPermission } from '../../data/permissions';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Field, Input } from '../../ui/field';
import { FormError } from '../../ui/form-error';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** The published defaults. An operator can set another time, which the API does not return. */
const HOLDS: Readonly<Record<Me['world'], string>> = {
  live: 'After a change, withdrawals are held for 24 hours, unless the operator set another time.',
  test: 'In the test environment, withdrawals are not held after a change, unless the operator set a time.',
};

/** Sets the e-mail address, and sends the link that verifies it. */
export function EmailForm({ me }: { readonly me: Me }) {
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { email: me.email ?? '' }, mode: 'onTouched' });
  const [error, setError] = useState<unknown>();
  const [sentTo, setSentTo] = useState<string>();
  const mayChange = includesPermission(me.credential.permissions, 'ADMIN');
  const isResend = form.watch('email').trim() === me.email;
  const isDone = isResend && me.email_verified;
  const send = form.handleSubmit(async ({ email }) => {
    setError(undefined);
    setSentTo(undefined);
    try {
      await api().me.update({ email: email.trim() });
      setSentTo(email.trim());
      await queries.invalidateQueries({ queryKey: ['me'] });
    } catch (failure) {
      const { fields, isGeneral } = formErrorsOf(failure, ['email']);
      if (fields.email !== undefined) form.setError('email', { message: fields.email });
      if (isGeneral) setError(failure);
    }
  });
  return (
    <Card
      title="E-mail"
      actions={
        me.email !== undefined && (
          <Badge tone={me.email_verified ? 'gain' : 'warn'}>
            {me.email_verified ? 'Verified' : 'Not verified'}
          </Badge>
        )
      }
    >
      <form noValidate onSubmit={send} className="flex flex-col gap-3">
        <Field
          label="E-mail address"
          error={form.formState.errors.email?.message}
          hint={`A new address takes effect when you open the link that is mailed to it. ${HOLDS[me.world]}`}
        >
          <Input
            {...form.register('email', {
              validate: (text) => EMAIL.test(text.trim()) || 'Enter an address such as name@example.com.',
            })}
            type="email"
            autoComplete="email"
            disabled={!mayChange}
          />
        </Field>
        {error !== undefined && <FormError error={error} />}
        <p role="status" className={sentTo === undefined ? 'sr-only' : 'text-sm'}>
          {sentTo !== undefined && `A link was sent to ${sentTo}. It is valid for 24 hours.`}
        </p>
        {mayChange ? (
          <Button type="submit" isBusy={form.formState.isSubmitting} disabled={isDone} className="self-start">
            {isResend && !isDone ? 'Send the link again' : 'Send verification link'}
          </Button>
        ) : (
          <p className="text-muted text-sm">Changing it needs the ADMIN permission.</p>
        )}
      </form>
    </Card>
  );
}
