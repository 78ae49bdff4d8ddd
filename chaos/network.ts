// A network of its own for one node, so that its cable can be pulled: packets go nowhere and nobody is told, on
// either side, until the kernel's own patience ends. Nothing leaves this machine: the cable has two ends, and both are
// here. Only where this process may make a name space.
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);

/** A range for measuring networks, which nobody has at home; four addresses a process. */
function addresses(): { here: string; there: string } {
  const block = process.pid % 16_384;
  const start = `198.18.${block >> 6}.`;
  const last = (block & 63) * 4;
  return { here: `${start}${last + 1}`, there: `${start}${last + 2}` };
}

export interface Network {
  /** What a server here has to listen on to be reached from there. */
  host: string;
  /** What a program has to be started with to be there. */
  prefix: readonly string[];
  pull(): Promise<void>;
  plug(): Promise<void>;
  remove(): Promise<void>;
}

export const MAY_SPLIT = ((): boolean => {
  try {
    execFileSync('unshare', ['--net', 'ip', 'link'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export async function createNetwork(): Promise<Network> {
  const name = `millrace-${process.pid}`;
  // The name of an interface has fifteen characters at most.
  const cable = `mr${process.pid}`;
  const { here, there } = addresses();
  await ip('netns', 'add', name);
  try {
    await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    await ip('addr', 'add', `${here}/30`, 'dev', cable);
    await ip('link', 'set', cable, 'up');
    await ip('-n', name, 'addr', 'add', `${there}/30`, 'dev', 'eth0');
    await ip('-n', name, 'link', 'set', 'eth0', 'up');
    await ip('-n', name, 'link', 'set', 'lo', 'up');
  } catch (error) {
    await ip('netns', 'delete', name);
    throw error;
  }
  return {
    host: here,
    prefix: ['ip', 'netns', 'exec', name],
    pull: async () => void (await ip('-n', name, 'link', 'set', 'eth0', 'down')),
    plug: async () => void (await ip('-n', name, 'link', 'set', 'eth0', 'up')),
    // The cable goes with it.
    remove: async () => void (await ip('netns', 'delete', name)),
  };
}
