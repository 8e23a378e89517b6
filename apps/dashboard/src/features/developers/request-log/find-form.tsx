'use client';
import { useState } from 'react';
import { Button } from '../../../ui/button';
import { Field, Input } from '../../../ui/field';

/** Asks for the id of a request. */
export function FindForm({ onFind }: { readonly onFind: (id: string) => void }) {
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
      <Field label="Request id" className="w-full sm:w-96">
        <Input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="The x-request-id of a response"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </Field>
      <Button type="submit" disabled={id === ''}>
        Find request
      </Button>
    </form>
  );
}
