import type { Metadata } from 'next';
import { Late } from '../../../../../../../data/late';
import { DeadLetterDrawer } from '../../../../../../../features/developers/dead-letters/dead-letter-drawer';
import { DeadLetters } from '../../../../../../../features/developers/dead-letters/dead-letters';

export const metadata: Metadata = { title: 'Dead letter' };

interface Props {
  readonly params: Promise<{ webhookId: string; id: string }>;
}

export default async function DeadLetterPage({ params }: Props) {
  const { webhookId, id } = await params;
  return (
    <>
      <Late>
        <DeadLetters webhookId={webhookId} />
      </Late>
      <DeadLetterDrawer webhookId={webhookId} id={id} />
    </>
  );
}
