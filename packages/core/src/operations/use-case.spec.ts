import { defineOperation } from '@trading-automation/contracts';
import { z } from 'zod';
import type { Actor } from './actor.js';
import { useCaseOf, useCasesOf } from './use-case.js';

const note = z.object({ id: z.string() });
const common = { summary: 'A test.', response: note, status: 200, errors: [] } as const;
const operations = {
  read: defineOperation({
    ...common,
    id: 'notes.read',
    method: 'GET',
    path: '/v1/books/:book_id/notes/:id',
    access: 'READ',
    // The schema lists the path parameters in another order than the path.
    params: z.object({ id: z.string(), book_id: z.string() }),
  }),
  change: defineOperation({
    ...common,
    id: 'notes.change',
    method: 'POST',
    path: '/v1/notes/:id',
    access: 'TRADE',
    params: z.object({ id: z.string() }),
    query: z.strictObject({ mode: z.string().optional() }),
    body: z.strictObject({ text: z.string() }),
  }),
  show: defineOperation({
    ...common,
    id: 'notes.show',
    method: 'GET',
    path: '/v1/notes',
    access: 'PUBLIC',
    query: z.strictObject({ word: z.string().optional() }),
  }),
};

class Notes {
  readonly prefix = 'note of';

  read(actor: Actor, bookId: string, id: string) {
    return { id: `${this.prefix} ${actor.userId}: ${bookId}/${id}` };
  }

  change(_actor: Actor, id: string, query: { mode?: string | undefined }, body: { text: string }) {
    return { id: `${id} ${query.mode} ${body.text}` };
  }

  show(query: { word?: string | undefined }) {
    return { id: String(query.word) };
  }
}

const actor = { userId: 'u1' };
const resultOf = (name: keyof typeof operations, call: object) => {
  const useCase = useCasesOf(operations, Notes).find(({ operation }) => operation === operations[name])!;
  expect(useCase.service).toBe(Notes);
  return useCase.invoke(new Notes(), call);
};

it('the method of an operation receives the caller and the path parameters in the order of the path', () => {
  const call = { actor, params: { id: 'n1', book_id: 'b1' }, query: {}, body: undefined };
  expect(resultOf('read', call)).toEqual({ id: 'note of u1: b1/n1' });
});

it('the query and the body follow the path parameters', () => {
  const call = { actor, params: { id: 'n1' }, query: { mode: 'fast' }, body: { text: 'words' } };
  expect(resultOf('change', call)).toEqual({ id: 'n1 fast words' });
});

it('the method of a public operation receives no caller', () => {
  expect(resultOf('show', { actor: null, params: {}, query: { word: 'w' }, body: undefined })).toEqual({
    id: 'w',
  });
});

it('useCaseOf calls a method with other arguments through a function', () => {
  const { invoke } = useCaseOf(operations.show, Notes, (notes, { query }) => ({
    id: `${notes.prefix} ${query.word}`,
  }));
  expect(invoke(new Notes(), { actor: null, params: {}, query: { word: 'w' }, body: undefined })).toEqual({
    id: 'note of w',
  });
});
