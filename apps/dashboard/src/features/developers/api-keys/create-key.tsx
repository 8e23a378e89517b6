'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type ApiKeyWithValue } from '@trading-automation/sdk';
import { useState } from 'react';
import { type Resolver, useForm } from 'react-hook-form';
import { api } from '../../../data/api';
import { loadLate } from '../../../data/late-code';
import { useMe } from '../../../data/me';
import { useSendOnce } from '../../../data/send-once';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Checkbox, Field, Input, Select, TextArea } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { ApprovalNotice } from '../shared/approval';
import { PERMISSIONS } from '../shared/permissions';
import { type ApiKeyForm, bodyOf, EMPTY_FORM, fieldErrors, type Issue } from './api-key-form.rules';

const FORM_ID = 'create-api-key';
const EXPIRIES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['date', 'A date'],
  ['never', 'Does not expire'],
] as const;

const asErrors = (issues: readonly Issue[], form: ApiKeyForm) =>
  Object.entries(fieldErrors(issues, form)).map(
    ([name, message]) => [name as keyof ApiKeyForm, { type: 'api', message }] as const,
  );

/** Checks the form with the schema of the API. */
const resolver: Resolver<ApiKeyForm> = async (form) => {
  const { apiKeyCreate } = await loadLate(() => import('@trading-automation/contracts'));
  const { error } = apiKeyCreate.safeParse(bodyOf(form, Date.now()));
  const issues = error?.issues.map(({ path, message }) => ({ field: path.join('.'), message })) ?? [];
  return issues.length === 0
    ? { values: form, errors: {} }
    : { values: {}, errors: Object.fromEntries(asErrors(issues, form)) };
};

export interface CreateKeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: ApiKeyWithValue) => void;
}

export function CreateKey({ isOpen, onClose, onCreated }: CreateKeyProps) {
  const queries = useQueryClient();
  const granted: readonly string[] = useMe().data?.credential.permissions ?? [];
  const [failure, setFailure] = useState<unknown>();
  const once = useSendOnce();
  const form = useForm<ApiKeyForm>({ defaultValues: EMPTY_FORM, resolver });
  const { errors, isSubmitting } = form.formState;
  const close = () => {
    form.reset();
    setFailure(undefined);
    onClose();
  };
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      // The schema has checked the permissions.
      const body = bodyOf(values, Date.now()) as Parameters<ReturnType<typeof api>['apiKeys']['create']>[0];
      const created = await once(body, (idempotencyKey) => api().apiKeys.create(body, { idempotencyKey }));
      close();
      onCreated(created);
      void queries.invalidateQueries({ queryKey: ['api-keys'] });
    } catch (error) {
      const details = error instanceof ApiError ? error.details : [];
      const issues = details.flatMap(({ field = '', message = '' }) =>
        field === '' ? [] : { field, message },
      );
      const named = asErrors(issues, values);
      for (const [name, issue] of named) form.setError(name, issue);
      if (named.length === 0) setFailure(error);
    }
  });
  const may = (permission: string) => granted.includes('ADMIN') || granted.includes(permission);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title="Create an API key"
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM_ID} isBusy={isSubmitting}>
            Create key
          </Button>
        </>
      }
    >
      <form id={FORM_ID} onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-3">
        <ApprovalNotice />
        <Field
          label="Name"
          error={errors.name?.message}
          hint="Where the key is used, such as “Backtest server”."
        >
          <Input {...form.register('name')} autoComplete="off" maxLength={100} />
        </Field>
        <fieldset className="flex flex-col gap-1.5">
          <legend className="pb-1.5 font-medium text-sm">Permissions</legend>
          {PERMISSIONS.map(({ value, label, hint }) => (
            <Checkbox
              key={value}
              {...form.register('permissions')}
              value={value}
              label={label}
              hint={may(value) ? hint : `${hint} This session does not have the permission.`}
              disabled={!may(value)}
            />
          ))}
          {errors.permissions !== undefined && (
            <p className="text-loss text-xs">Choose at least one permission.</p>
          )}
        </fieldset>
        <Expiry form={form} />
        <Field
          label="IP allow-list"
          aside="Optional"
          error={errors.allowlist?.message}
          hint="Addresses and CIDR ranges that may use the key, one a line. Empty allows every address."
        >
          <TextArea
            {...form.register('allowlist')}
            className="min-h-14 font-mono"
            placeholder="203.0.113.7"
            spellCheck={false}
          />
        </Field>
        {failure !== undefined && <FormError error={failure} />}
      </form>
    </Dialog>
  );
}

function Expiry({ form }: { readonly form: ReturnType<typeof useForm<ApiKeyForm>> }) {
  const isDate = form.watch('expiry') === 'date';
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field
        label="Expiry"
        error={form.formState.errors.expiry?.message}
        className={isDate ? '' : 'col-span-2'}
      >
        <Select {...form.register('expiry')}>
          {EXPIRIES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {isDate && (
        <Field label="Last day">
          <Input type="date" {...form.register('date')} />
        </Field>
      )}
    </div>
  );
}
