import type { Metadata } from 'next';
import { GraphqlPage } from '../../../../../features/developers/graphql/graphql-page';

export const metadata: Metadata = { title: 'GraphQL' };

export default function DevelopersGraphqlPage() {
  return <GraphqlPage />;
}
