'use client';
import { PageHeader } from '../../ui/page-header';

export function Overview() {
  return <PageHeader title="Overview" />;
}
