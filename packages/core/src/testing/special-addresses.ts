/**
 * The edges of every range of addresses that an outbound call must not reach, written without the product's tables: a
 * range that is removed from a table, or that becomes smaller or larger, changes the result of an edge.
 */

export interface SpecialRange {
  readonly range: string;
  readonly first: string;
  readonly last: string;
  /** The public addresses just before and just after the range, if those are public. */
  readonly neighbours: readonly string[];
}

const ones = (groups: number) => Array(groups).fill('ffff').join(':');

export const SPECIAL_IPV4: readonly SpecialRange[] = [
  { range: 'this network', first: '0.0.0.0', last: '0.255.255.255', neighbours: ['1.0.0.0'] },
  {
    range: 'private 10',
    first: '10.0.0.0',
    last: '10.255.255.255',
    neighbours: ['9.255.255.255', '11.0.0.0'],
  },
  {
    range: 'carrier NAT',
    first: '100.64.0.0',
    last: '100.127.255.255',
    neighbours: ['100.63.255.255', '100.128.0.0'],
  },
  {
    range: 'loopback',
    first: '127.0.0.0',
    last: '127.255.255.255',
    neighbours: ['126.255.255.255', '128.0.0.0'],
  },
  {
    range: 'metadata of a cloud',
    first: '168.63.129.16',
    last: '168.63.129.16',
    neighbours: ['168.63.129.15', '168.63.129.17'],
  },
  {
    range: 'link-local',
    first: '169.254.0.0',
    last: '169.254.255.255',
    neighbours: ['169.253.255.255', '169.255.0.0'],
  },
  {
    range: 'private 172',
    first: '172.16.0.0',
    last: '172.31.255.255',
    neighbours: ['172.15.255.255', '172.32.0.0'],
  },
  {
    range: 'protocol assignments',
    first: '192.0.0.0',
    last: '192.0.0.255',
    neighbours: ['191.255.255.255', '192.0.1.0'],
  },
  {
    range: 'documentation 1',
    first: '192.0.2.0',
    last: '192.0.2.255',
    neighbours: ['192.0.1.255', '192.0.3.0'],
  },
  {
    range: '6to4 relays',
    first: '192.88.99.0',
    last: '192.88.99.255',
    neighbours: ['192.88.98.255', '192.88.100.0'],
  },
  {
    range: 'private 192',
    first: '192.168.0.0',
    last: '192.168.255.255',
    neighbours: ['192.167.255.255', '192.169.0.0'],
  },
  {
    range: 'benchmarks',
    first: '198.18.0.0',
    last: '198.19.255.255',
    neighbours: ['198.17.255.255', '198.20.0.0'],
  },
  {
    range: 'documentation 2',
    first: '198.51.100.0',
    last: '198.51.100.255',
    neighbours: ['198.51.99.255', '198.51.101.0'],
  },
  {
    range: 'documentation 3',
    first: '203.0.113.0',
    last: '203.0.113.255',
    neighbours: ['203.0.112.255', '203.0.114.0'],
  },
  { range: 'multicast', first: '224.0.0.0', last: '239.255.255.255', neighbours: ['223.255.255.255'] },
  { range: 'reserved and broadcast', first: '240.0.0.0', last: '255.255.255.255', neighbours: [] },
];

export const SPECIAL_IPV6: readonly SpecialRange[] = [
  { range: 'embedded IPv4, loopback, NAT64', first: '::', last: `ff:${ones(7)}`, neighbours: [] },
  { range: 'discard', first: '100::', last: `100:0:0:0:${ones(4)}`, neighbours: [] },
  {
    range: 'protocol assignments, Teredo',
    first: '2001::',
    last: `2001:1ff:${ones(6)}`,
    neighbours: [`2000:${ones(7)}`, '2001:200::'],
  },
  {
    range: 'documentation',
    first: '2001:db8::',
    last: `2001:db8:${ones(6)}`,
    neighbours: [`2001:db7:${ones(6)}`, '2001:db9::'],
  },
  { range: '6to4', first: '2002::', last: `2002:${ones(7)}`, neighbours: [`2001:${ones(7)}`, '2003::'] },
  {
    range: 'documentation 2',
    first: '3fff::',
    last: `3fff:fff:${ones(6)}`,
    neighbours: [`3ffe:${ones(7)}`, '3fff:1000::'],
  },
  { range: 'segment routing', first: '5f00::', last: `5f00:${ones(7)}`, neighbours: [] },
  { range: 'unique local', first: 'fc00::', last: `fdff:${ones(7)}`, neighbours: [] },
  { range: 'link-local', first: 'fe80::', last: `febf:${ones(7)}`, neighbours: [] },
  { range: 'site-local', first: 'fec0::', last: `feff:${ones(7)}`, neighbours: [] },
  { range: 'multicast', first: 'ff00::', last: `ffff:${ones(7)}`, neighbours: [] },
];
