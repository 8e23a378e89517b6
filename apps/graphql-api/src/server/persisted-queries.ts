/**
 * Implements automatic persisted queries: a client sends a document once with its SHA-256 hash, and then only the hash.
 *
 * 1. Only documents of authenticated callers are cached, separately in each process and up to a size limit. For an
 *    unknown hash, the process returns an error and the client sends the document again.
 * 2. A hash that does not match its document is an error, so no other document can be stored under it.
 */
import { createHash } from 'node:crypto';
import { type DetailCode, DomainError } from '@trading-automation/contracts';
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

  /**
   * Returns the parameters of a request with its document.
   *
   * @param isAuthenticated whether the caller has valid credentials, so that the document may be cached
   * @throws {DomainError} if the parameters are invalid or the hash is unknown
   */
  resolve(params: PersistedQueryParams, isAuthenticated: boolean): RequestParams {
    const extension = params.extensions?.persistedQuery;
    if (extension === undefined) {
      if (typeof params.query === 'string') return { ...params, query: params.query };
      throw invalid('query', 'required', 'Required.');
    }
    const parsed = persistedQuery.safeParse(extension);
    if (!parsed.success)
      throw invalid(
        'extensions.persistedQuery',
        'invalid',
        'Expected version 1 and sha256Hash in lower-case hex.',
      );
    const { sha256Hash } = parsed.data;
    if (typeof params.query === 'string') {
      const hash = createHash('sha256').update(params.query).digest('hex');
      if (hash !== sha256Hash)
        throw invalid('extensions.persistedQuery', 'invalid', 'sha256Hash does not match the query.');
      if (isAuthenticated) this.documents.set(hash, params.query);
      return { ...params, query: params.query };
    }
    const query = this.documents.get(sha256Hash);
    if (query === undefined) throw new PersistedQueryNotFound();
    return { ...params, query };
  }
}

/** Clients recognize this message and then send the document. */
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

function invalid(field: string, code: DetailCode, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code, message }]);
}
