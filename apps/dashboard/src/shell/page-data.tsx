'use client';
import { useServerInsertedHTML } from 'next/navigation';
import { use } from 'react';
import { useQueryClient } from '../data/query';
import { DATA_MARK } from '../data/server-data';
import { serverPage } from '../data/server-page';

/**
 * Puts the data that the server has loaded into the page, as JSON, which never runs. The page is sent when they are complete.
 * Renders nothing in the browser.
 */
export function PageData() {
  const queries = useQueryClient();
  const page = serverPage();
  if (page !== undefined) use(page.settled());
  useServerInsertedHTML(() => {
    const loaded = page?.takeLoaded(queries) ?? [];
    if (loaded.length === 0) return null;
    return (
      <script type="application/json" {...{ [DATA_MARK]: '' }}>
        {/* Without the sign that begins a tag, no text can end the element. */}
        {JSON.stringify(loaded).replaceAll('<', '\\u003c')}
      </script>
    );
  });
  return null;
}
