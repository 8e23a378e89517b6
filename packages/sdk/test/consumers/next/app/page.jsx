import { TradeCount } from './trade-count';

export default function Page() {
  return <TradeCount />;
}
