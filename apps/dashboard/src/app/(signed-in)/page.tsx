import { Overview } from '../../features/overview/overview';

export default function OverviewPage() {
  return <Overview />;
}
