// Which addresses a URL of a user may lead to. Anything that is not plainly a public host of the
// internet could be a machine that trusts us for where we stand.
import { BlockList, isIP } from 'node:net';

// By the registries of special-purpose addresses.
const IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8',
  '168.63.129.16/32', // the host agent of a large cloud, on a public address
  '169.254.0.0/16', // link-local, and the metadata services of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // the old 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

// Only 2000::/3 is in use for hosts; what of it is special, or holds an IPv4 address inside, is not.
const IPV6_INSIDE_UNICAST = [
  '2001::/23', // Teredo and other protocol assignments
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48',
  '3fff::/20', // documentation
  '3ffe::/16', // a test network of the past
];

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const BLOCKED_IPV4 = listOf('ipv4', IPV4);
const BLOCKED_IPV6 = listOf('ipv6', IPV6_INSIDE_UNICAST);
const UNICAST_IPV6 = listOf('ipv6', ['2000::/3']);

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !BLOCKED_IPV4.check(address, 'ipv4');
    case 6:
      // Also keeps out zones, mapped and translated IPv4, unique local, link-local and multicast.
      return (
        !address.includes('%') &&
        UNICAST_IPV6.check(address, 'ipv6') &&
        !BLOCKED_IPV6.check(address, 'ipv6')
      );
    default:
      return false;
  }
}

/** The address that a URL names literally, without brackets; undefined when it has a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

/** Names that lead to this machine or network wherever one stands. */
const LOCAL_NAME = /^(localhost|.*\.(localhost|local|internal|lan|home\.arpa))\.?$/i;

export interface TargetRules {
  allowPrivate: boolean;
  allowHttp: boolean;
}

export type TargetCheck = { kind: 'ok'; url: string } | { kind: 'refused'; reason: string };

const MAX_URL = 2048;

/** Mail servers and the like also read lines: nobody receives webhooks on their ports. */
function isWebPort(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1024;
}

/**
 * What can be said of a URL before anything is looked up. Where its name leads is checked on each
 * connection: names can change their addresses at any time.
 */
export function checkTarget(text: string, rules: TargetRules): TargetCheck {
  const refused = (reason: string): TargetCheck => ({ kind: 'refused', reason });
  if (text.length > MAX_URL) return refused(`must not be longer than ${MAX_URL} characters`);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return refused('must be an http or https URL');
  }
  if (url.protocol === 'http:' && !rules.allowHttp) return refused('must be an https URL');
  if (url.username !== '' || url.password !== '') {
    return refused('must not hold a user name or a password');
  }
  if (url.hash !== '') return refused('must not have a fragment (#)');
  if (!rules.allowPrivate) {
    if (!isWebPort(url.port)) return refused('must use port 80, 443, or one from 1024 on');
    const literal = literalAddress(url.hostname);
    const local = literal === undefined ? LOCAL_NAME.test(url.hostname) : !isPublicAddress(literal);
    if (local) {
      return refused(
        'must lead to a public address; the operator can allow others with MILLRACE_ALLOW_PRIVATE_TARGETS=true',
      );
    }
  }
  return { kind: 'ok', url: url.href };
}
