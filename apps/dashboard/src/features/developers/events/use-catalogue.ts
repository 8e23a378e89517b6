'use client';
import type { EventKind } from '@trading-automation/sdk';
import { api } from '../../../data/api';
import { useQuery } from '../../../data/query';
import { elementTexts, memberText } from '../shared/raw-json.rules';

export interface CatalogueEntry extends Pick<EventKind, 'type' | 'description' | 'schema'> {
  /** The sample with the numbers that a receiver gets, with every digit. */
  readonly sampleText: string;
}

/** The JSON of this media type has decimals as numbers, as receivers get them. */
const AS_SENT = { accept: 'application/json' };

/** The event types with their samples as webhooks send them. They change only with a release. */
export function useCatalogue() {
  return useQuery({
    queryKey: ['events', 'catalogue'],
    queryFn: async ({ signal }) => {
      const response = await api().events.types({}, { signal, headers: AS_SENT }).asResponse();
      const types = memberText(await response.text(), ['data', 'types']) ?? '[]';
      return elementTexts(types).map(entryOf);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function entryOf(text: string): CatalogueEntry {
  const { type, description, schema } = JSON.parse(text) as EventKind;
  return { type, description, schema, sampleText: memberText(text, ['sample']) ?? '' };
}
