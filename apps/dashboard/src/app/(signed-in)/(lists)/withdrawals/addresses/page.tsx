import type { Metadata } from 'next';
import { AddressBook } from '../../../../../features/withdrawals/addresses/address-book';

export const metadata: Metadata = { title: 'Address book' };

export default function AddressBookPage() {
  return <AddressBook />;
}
