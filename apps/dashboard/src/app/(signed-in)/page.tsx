import { headers } from 'next/headers';
import { accountDoneWithSteps } from '../../features/overview/finished-steps';
import { Overview } from '../../features/overview/overview';

export default async function OverviewPage() {
  return <Overview doneWithSteps={accountDoneWithSteps((await headers()).get('cookie'))} />;
}
