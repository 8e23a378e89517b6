import type { Metadata } from 'next';
import { DeadLetters } from '../../../../../features/developers/dead-letters/dead-letters';

export const metadata: Metadata = { title: 'Dead letters' };

export default function DeadLettersPage() {
  return <DeadLetters />;
}
