// A network name space for each member of the database, all plugged into one switch, so that a member can be cut off:
// its cable stays up at both ends, and packets go nowhere without notice. Only as root; otherwise all members are on
// loopback, and cannot be cut off. Nothing leaves this machine: the switch has no way out.
import { execFileSync } from 'node:child_process';
import { FIRST_PORT } from '../../program/layout.ts';

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });

export const MAY_CUT = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--net', 'ip', 'link'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A range for measuring networks, which no home or office uses; a part of it for each cluster on this machine. */
const SUBNET = `198.18.${FIRST_PORT % 256}`;
/** Names of interfaces have fifteen characters at most. */
const SWITCH = `mrsw${FIRST_PORT}`;
const nameSpaceOf = (member: string) => `millrace-${FIRST_PORT}-${member}`;
const cableOf = (place: number) => `mr${FIRST_PORT}pg${place}`;

/** Where the balancers and etcd are: members reach them here. */
export const HOST_ADDRESS = MAY_CUT ? `${SUBNET}.1` : '127.0.0.1';
export const addressOf = (place: number) => (MAY_CUT ? `${SUBNET}.${10 + place}` : '127.0.0.1');

/** What a program has to be started with to be where the member is. */
export function insideOf(member: string): string[] {
  return MAY_CUT ? ['ip', 'netns', 'exec', nameSpaceOf(member)] : [];
}

function tryIp(...args: string[]): void {
  try {
    ip(...args);
  } catch {
    // There is none.
  }
}

export function removeNetwork(members: readonly string[]): void {
  if (!MAY_CUT) return;
  // Cables go with their name spaces.
  for (const member of members) tryIp('netns', 'delete', nameSpaceOf(member));
  tryIp('link', 'delete', SWITCH);
}

export function createNetwork(members: readonly string[]): void {
  if (!MAY_CUT) return;
  // A cluster that was killed left its own behind.
  removeNetwork(members);
  ip('link', 'add', SWITCH, 'type', 'bridge');
  ip('addr', 'add', `${HOST_ADDRESS}/24`, 'dev', SWITCH);
  ip('link', 'set', SWITCH, 'up');
  for (const [index, member] of members.entries()) {
    const space = nameSpaceOf(member);
    const cable = cableOf(index + 1);
    ip('netns', 'add', space);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    ip('link', 'set', cable, 'master', SWITCH, 'up');
    ip('-n', space, 'addr', 'add', `${addressOf(index + 1)}/24`, 'dev', 'eth0');
    ip('-n', space, 'link', 'set', 'eth0', 'up');
    ip('-n', space, 'link', 'set', 'lo', 'up');
  }
}

export function cutOff(place: number): void {
  ip('link', 'set', cableOf(place), 'nomaster');
}

export function plugIn(place: number): void {
  ip('link', 'set', cableOf(place), 'master', SWITCH);
}
