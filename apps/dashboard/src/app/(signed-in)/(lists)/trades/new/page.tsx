import type { Metadata } from 'next';
import { NewOrderWithBook } from './new-order-with-book';

export const metadata: Metadata = { title: 'Place order' };

export default function NewOrderPage() {
  return <NewOrderWithBook />;
}
