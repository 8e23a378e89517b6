'use client';
import { useState } from 'react';
import { Button } from '../../../ui/button';
import { Field, Input } from '../../../ui/field';

export interface FindFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly onFind: (id: string) => void;
}

/** Asks for an id. */
export function FindForm({ label, placeholder, action, onFind }: FindFormProps) {
  const [text, setText] = useState('');
  const id = text.trim();
  return (
    <form
      className="flex flex-wrap items-end gap-2 pb-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (id !== '') onFind(id);
      }}
    >
      <Field label={label} className="w-full sm:w-96">
        <Input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </Field>
      <Button type="submit" disabled={id === ''}>
        {action}
      </Button>
    </form>
  );
}
