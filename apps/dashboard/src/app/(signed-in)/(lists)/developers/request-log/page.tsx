import type { Metadata } from 'next';
import { RequestLog } from '../../../../../features/developers/request-log/request-log';

export const metadata: Metadata = { title: 'Request log' };

export default function RequestLogPage() {
  return <RequestLog />;
}
