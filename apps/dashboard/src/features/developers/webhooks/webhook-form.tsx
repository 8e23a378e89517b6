'use client';
import { ApiError } from '@trading-automation/sdk';
import { useState } from 'react';
import { type Resolver, useForm } from 'react-hook-form';
import { loadLate } from '../../../data/late-code';
import { useSendOnce } from '../../../data/send-once';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Field, Input } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { EventPicker } from '../shared/event-picker';
import { aboutUrl, urlProblem } from './webhook-url.rules';

export interface WebhookValues {
  readonly url: string;
  readonly events: string[];
  readonly description: string;
}

const NEW: WebhookValues = { url: '', events: ['*'], description: '' };

type FieldName = keyof WebhookValues;
const fieldOf = (path: string): FieldName | undefined =>
  (['url', 'events', 'description'] as const).find((name) => path.split('.')[0] === name);

const resolver: Resolver<WebhookValues> = async (values) => {
  const { webhookCreate } = await loadLate(() => import('@trading-automation/contracts'));
  const { error } = webhookCreate.safeParse(values);
  const errors: Partial<Record<FieldName, { type: string; message: string }>> = {};
  for (const { path, message } of error?.issues ?? []) {
    const name = fieldOf(path.join('.'));
    if (name !== undefined) errors[name] ??= { type: 'schema', message };
  }
  if (values.events.length === 0) errors.events = { type: 'schema', message: 'Choose at least one event.' };
  const problem = urlProblem(values.url);
  if (problem !== undefined) errors.url = { type: 'schema', message: problem };
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
};

export interface WebhookFormProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly action: string;
  readonly initial?: WebhookValues;
  /** Saves the values; throws the error of the API. */
  readonly onSave: (values: WebhookValues, idempotencyKey: string) => Promise<unknown>;
}

/** Creates or edits a webhook. */
export function WebhookForm(props: WebhookFormProps) {
  const { isOpen, onClose, title, action, initial = NEW, onSave } = props;
  const [failure, setFailure] = useState<unknown>();
  const once = useSendOnce();
  const form = useForm<WebhookValues>({ defaultValues: initial, resolver });
  const { errors, isSubmitting } = form.formState;
  const close = () => {
    form.reset(initial);
    setFailure(undefined);
    onClose();
  };
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await once(values, (idempotencyKey) => onSave(values, idempotencyKey));
      close();
    } catch (error) {
      const details = error instanceof ApiError ? error.details : [];
      const named = details.flatMap(({ field = '', message = '' }) => {
        const name = fieldOf(field);
        return name === undefined ? [] : [{ name, message: name === 'url' ? aboutUrl(message) : message }];
      });
      for (const { name, message } of named) form.setError(name, { type: 'api', message });
      if (named.length === 0) setFailure(error);
    }
  });
  const events = form.watch('events');
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={title}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form="webhook" isBusy={isSubmitting}>
            {action}
          </Button>
        </>
      }
    >
      <form id="webhook" onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-3">
        <Field
          label="URL"
          error={errors.url?.message}
          hint="Events are sent to it by POST, signed with the secret."
        >
          <Input
            type="url"
            {...form.register('url')}
            placeholder="https://example.com/hooks"
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        <Field label="Description" aside="Optional" error={errors.description?.message}>
          <Input {...form.register('description')} maxLength={500} autoComplete="off" />
        </Field>
        <EventPicker
          value={events}
          onChange={(next) =>
            form.setValue('events', [...next], { shouldValidate: form.formState.isSubmitted })
          }
          error={errors.events?.message}
        />
        {failure !== undefined && <FormError error={failure} />}
      </form>
    </Dialog>
  );
}
