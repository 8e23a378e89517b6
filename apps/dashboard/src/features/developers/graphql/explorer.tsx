'use client';
import 'graphiql/setup-workers/webpack';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './explorer.css';
import { GraphiQL } from 'graphiql';
import { useTheme } from 'next-themes';
import { useLayoutEffect, useState } from 'react';
import { fetchGraphql } from '../../../data/graphql-fetcher';
import { giveStylesTheNonce } from './style-nonce';

const FIRST_QUERY = `# Press Ctrl+Enter to run the query.
query Trades {
  trades(first: 5) {
    edges {
      node { id symbol side status }
    }
  }
}
`;

const SUBSCRIPTION = /^\s*subscription\b/m;

const fetcher = async (request: { query: string; operationName?: string | null; variables?: unknown }) =>
  SUBSCRIPTION.test(request.query)
    ? {
        errors: [
          { message: 'Subscriptions do not run in the dashboard. Use the SDK or the command-line client.' },
        ],
      }
    : ((await fetchGraphql(request)) as object);

/** GraphiQL with the session of the dashboard. */
export default function Explorer() {
  const { resolvedTheme } = useTheme();
  const [isReady, setReady] = useState(false);
  useLayoutEffect(() => {
    const restore = giveStylesTheNonce();
    setReady(true);
    return restore;
  }, []);
  if (!isReady) return null;
  return (
    <GraphiQL
      fetcher={fetcher as never}
      defaultQuery={FIRST_QUERY}
      forcedTheme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      defaultEditorToolsVisibility="variables"
      isHeadersEditorEnabled={false}
      shouldPersistHeaders={false}
    />
  );
}
