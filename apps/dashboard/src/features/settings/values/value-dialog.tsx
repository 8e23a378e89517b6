'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Setting } from '@trading-automation/sdk';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../../data/api';
import { formErrorsOf } from '../../../data/form-errors';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Field, Input, TextArea } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { jsonProblem, keyProblem } from './json.rules';

const FORM = 'stored-value';
const NAMES = ['key', 'value'] as const;

/** Adds a value, or changes that of `setting`. */
export function ValueDialog({
  setting,
  onClose,
}: {
  readonly setting?: Setting;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const form = useForm({
    defaultValues: {
      key: setting?.key ?? '',
      text: setting === undefined ? '' : JSON.stringify(setting.value, null, 2),
    },
    mode: 'onTouched',
  });
  const { errors, isSubmitting } = form.formState;
  const save = form.handleSubmit(async ({ key, text }) => {
    setError(undefined);
    try {
      await api().settings.set(key.trim(), JSON.parse(text));
      await queries.invalidateQueries({ queryKey: ['settings'] });
      onClose();
    } catch (failure) {
      const { fields, isGeneral } = formErrorsOf(failure, NAMES);
      if (fields.key !== undefined) form.setError('key', { message: fields.key });
      if (fields.value !== undefined) form.setError('text', { message: fields.value });
      if (isGeneral) setError(failure);
    }
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={setting === undefined ? 'Add a value' : `Edit ${setting.key}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={FORM} variant="primary" isBusy={isSubmitting}>
            Save value
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={save} className="flex flex-col gap-3">
        {setting === undefined && (
          <Field label="Key" hint="An existing value with this key is replaced." error={errors.key?.message}>
            <Input
              {...form.register('key', { validate: (key) => keyProblem(key.trim()) ?? true })}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          </Field>
        )}
        <Field label="Value as JSON" error={errors.text?.message}>
          <TextArea
            {...form.register('text', { validate: (text) => jsonProblem(text) ?? true })}
            rows={10}
            spellCheck={false}
            className="font-mono"
          />
        </Field>
        {error !== undefined && <FormError error={error} />}
      </form>
    </Dialog>
  );
}
