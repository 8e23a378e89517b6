/**
 * Automatic persisted queries: a document that was sent once with its SHA-256 may be asked for by that alone.
 *
 * 1. Remembered is what somebody with credentials sent, by each process for itself and bounded by size; a process that
 *    does not know a hash says so, and the client sends the document again.
 * 2. A hash that is not the document's is refused: nobody can put another document under it.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { RequestParams } from 'graphql-http';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

const CACHE_CHARACTERS_MAX = 8_000_000;

const persistedQuery = z.object({
  version: z.literal(1),
  sha256Hash: z.string().regex(/^[0-9a-f]{64}$/),
});

type PersistedQueryParams = Omit<RequestParams, 'query'> & { readonly query?: string | null | undefined };

export class PersistedQueries {
  private readonly documents = new LRUCache<string, string>({
    maxSize: CACHE_CHARACTERS_MAX,
    sizeCalculation: (text) => text.length + 1,
  });

  /** The parameters with their document. @param isKnownCaller whether the document may be remembered @throws {DomainError} */
  resolve(params: PersistedQueryParams, isKnownCaller: boolean): RequestParams {
    const asked = params.extensions?.persistedQuery;
    if (asked === undefined) {
      if (typeof params.query === 'string') return { ...params, query: params.query };
      throw refused('query', 'required', 'Required.');
    }
    const parsed = persistedQuery.safeParse(asked);
    if (!parsed.success)
      throw refused(
        'extensions.persistedQuery',
        'invalid',
        'Expected version 1 and sha256Hash in lower-case hex.',
      );
    const { sha256Hash } = parsed.data;
    if (typeof params.query === 'string') {
      const hash = createHash('sha256').update(params.query).digest('hex');
      if (hash !== sha256Hash)
        throw refused('extensions.persistedQuery', 'invalid', 'sha256Hash is not that of the query.');
      if (isKnownCaller) this.documents.set(hash, params.query);
      return { ...params, query: params.query };
    }
    const query = this.documents.get(sha256Hash);
    if (query === undefined) throw new PersistedQueryNotFound();
    return { ...params, query };
  }
}

/** The message is the one that clients wait for, to send the document. */
export class PersistedQueryNotFound extends DomainError {
  constructor() {
    super('not_found', 'PersistedQueryNotFound', [
      {
        field: 'extensions.persistedQuery',
        code: 'PERSISTED_QUERY_NOT_FOUND',
        message: 'Send the query with its hash.',
      },
    ]);
  }
}

function refused(field: string, code: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code, message }]);
}
