'use client';
import { useQuery } from '@tanstack/react-query';
import { api } from './api';

/**
 * The OpenAPI document of the REST API. It changes only with a release. It is too large to arrive with a page, so only the
 * browser loads it.
 */
export function useOpenApi<T>() {
  return useQuery({
    queryKey: ['health', 'openapi'],
    queryFn: async ({ signal }): Promise<T> => {
      const response = await api().get('/openapi', {}, { signal }).asResponse();
      return (await response.json()) as T;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // The document is large, and is never changed in place.
    structuralSharing: false,
  });
}
