import type { Metadata } from 'next';
import { NewOrder } from '../../../../features/order-ticket/new-order';

export const metadata: Metadata = { title: 'Place order' };

export default function NewOrderPage() {
  return <NewOrder />;
}
