// Each of these tries for real to get out. Addresses that they try are servers of this file on loopback; the
// network of a sandbox has no way to any other, and names are resolved by the test.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_SANDBOX, SECRET, USERS, openWorld } from './world.ts';
import type { World } from './world.ts';

const MIB = 1024 ** 2;

let host: Server;
let hidden: Server;
let visits = 0;
let port: number;
const abstract = `millrace-${createHash('sha256').update(String(process.pid)).digest('hex').slice(0, 12)}`;

beforeAll(async () => {
  host = createServer((socket) => {
    visits += 1;
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
  });
  hidden = createServer((socket) => socket.on('error', () => undefined).end(SECRET));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => hidden.listen(`\0${abstract}`, resolve));
  port = (host.address() as AddressInfo).port;
});
afterAll(async () => {
  await Promise.all([host, hidden].map((one) => new Promise((resolve) => one.close(resolve))));
});

/** A fetch through the proxy and without it; prints how each ended. */
const FETCH = `
const { request, get } = require('node:http');
const [url] = process.argv.slice(1);
const proxied = process.env.HTTP_PROXY;
const options = proxied ? { host: '127.0.0.1', port: new URL(proxied).port, path: url } : url;
const call = get(options, (answer) => { answer.resume(); console.log('status', answer.statusCode); });
call.on('error', (error) => console.log('error', error.code));
`;
const fetchFrom = (url: string): [string, ...string[]] => ['node', '-e', FETCH, url];

/** The command lines of all processes of the machine. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : [];
    } catch {
      return [];
    }
  });
}

describe.skipIf(NO_SANDBOX !== undefined).each(USERS)('from a sandbox of %s', (_user, uid) => {
  let world: World;
  beforeAll(() => {
    world = openWorld(uid, {
      names: {
        'allowed.example.com': ['127.0.0.1'],
        'mixed.example.com': ['192.0.2.1', '10.0.0.1'],
      },
    });
  });
  afterAll(async () => world.close());

  it('the home, other projects and our state cannot be read', async () => {
    const { home } = world;
    const paths = ['.ssh/id_ed25519', 'neighbour/secret.txt', 'state/master.key'];
    const { stdout } = await world.ask({
      script: `for path in ${paths.join(' ')}; do cat "${home}/$path" "/proc/1/root${home}/$path" "/proc/self/root${home}/$path"; done
        cat out .env; grep -rs ${SECRET} ${home} /run /tmp /dev/shm; echo done`,
    });
    expect(stdout).toBe('done\n');
  });

  it('passwords and host keys of the machine cannot be read', async () => {
    const { stdout } = await world.ask({
      script:
        'cat /etc/shadow /etc/gshadow /etc/ssh/ssh_host_*_key /root/.bashrc; ls /etc/ssl/private /var /home /root 2>/dev/null | head; cut -d: -f1 /etc/passwd',
    });
    expect(stdout.split('\n')).toContain('sandbox');
    expect(stdout).not.toMatch(/root:[$!*]|PRIVATE KEY|daemon/);
  });

  it('nothing is written outside of the copy', async () => {
    const { base, home } = world;
    const { stdout } = await world.ask({
      script: `for path in ${home}/written ${home}/a\\ project,\\ 1:2/../written ${base}/written /usr/written /etc/written /written /run/written; do
          (echo x >"$path") 2>/dev/null; done; ls /usr/written /etc/written /written /run/written; echo end`,
    });
    expect(stdout).toBe('end\n');
    for (const folder of [home, base, '/usr', '/etc', '/']) {
      expect(existsSync(join(folder, 'written'))).toBe(false);
    }
  });

  it('links lead nowhere, inside and when the difference is read', async () => {
    const { home } = world;
    const { changes, stdout } = await world.ask({
      script: `ln -s ${home}/neighbour link; ln -s / root; cat link/secret.txt root${home}/neighbour/secret.txt
        rm -r src; ln -s ${home}/neighbour src; echo x >src/secret.txt; echo end`,
    });
    expect(stdout).toBe('end\n');
    expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual(
      ['link link', 'link root', 'link src'].concat(
        ['src/b.txt', 'src/deep/c.txt', 'src/run.sh'].map((path) => `file ${path}`),
      ),
    );
    expect(readFileSync(join(home, 'neighbour/secret.txt'), 'utf8')).toBe(SECRET);
  });

  it("the host's loopback is out of reach", async () => {
    visits = 0;
    const direct = await world.ask({ command: fetchFrom(`http://127.0.0.1:${port}/`) });
    expect(direct.stdout).toBe('error ECONNREFUSED\n');
    const url = `http://127.0.0.1:${port}/`;
    const proxied = await world.ask({ command: fetchFrom(url), hosts: ['127.0.0.1', 'localhost'] });
    expect(proxied.stdout).toBe('status 403\n');
    expect(proxied.refused).toEqual([{ host: '127.0.0.1', reason: 'address' }]);
    expect(visits).toBe(0);
  });

  it('private addresses are out of reach, directly and by a name that leads to one', async () => {
    visits = 0;
    const hosts = ['allowed.example.com', 'mixed.example.com'];
    for (const name of hosts) {
      const { stdout, refused } = await world.ask({ command: fetchFrom(`http://${name}/`), hosts });
      expect(stdout).toBe('status 403\n');
      expect(refused).toEqual([{ host: name, reason: 'not public' }]);
    }
    const { stdout } = await world.ask({ command: fetchFrom('http://10.0.0.1/') });
    expect(stdout).toMatch(/^error E(?:NETUNREACH|HOSTUNREACH)\n$/);
    expect(visits).toBe(0);
  });

  it('a name that is not allowed is out of reach, and reported', async () => {
    const { stdout, refused } = await world.ask({
      command: fetchFrom('http://other.example.com/'),
      hosts: ['allowed.example.com'],
    });
    expect(stdout).toBe('status 403\n');
    expect(refused).toEqual([{ host: 'other.example.com', reason: 'not allowed' }]);
  });

  it('no process stays behind', async () => {
    const mark = `123.${uid}${process.pid}`;
    const { ending } = await world.ask({
      script: `setsid sleep ${mark} & (setsid sh -c 'sleep ${mark} & sleep ${mark} &' &) ; nohup sleep ${mark} >/dev/null 2>&1 & sleep 0.1`,
    });
    expect(ending.kind).toBe('exited');
    expect(commandLines().filter((line) => line.includes(mark))).toEqual([]);
  });

  it.each([
    ['the copy', 'cat /dev/zero >full'],
    ['its dependencies', 'cat /dev/zero >node_modules/full'],
    ['the home', 'cat /dev/zero >~/full'],
    ['the temp folder', 'cat /dev/zero >/tmp/full'],
    ['a file in no folder', 'exec 5>/tmp/full; rm /tmp/full; cat /dev/zero >&5'],
  ])('the disk is not filled by %s', async (_name, script) => {
    const { ending } = await world.ask({
      script: `${script}; sleep 30`,
      limits: { diskBytes: 64 * MIB },
    });
    expect(ending).toMatchObject({ kind: 'limit', limit: 'disk' });
  });

  it('a command that filled the disk and ended at once did not pass', async () => {
    const script = 'head -c 3000000 /dev/zero >full';
    const { ending } = await world.ask({ script, limits: { diskBytes: MIB } });
    expect(ending).toMatchObject({ kind: 'limit', limit: 'disk' });
  });

  it('folders in memory have a size', async () => {
    const { stdout } = await world.ask({
      script:
        'head -c 100000000 /dev/zero >/dev/shm/full; wc -c </dev/shm/full; head -c 1000 /dev/zero >/dev/full2; ls /dev/full2',
      limits: { diskBytes: 16 * MIB },
    });
    expect(Number(stdout)).toBeLessThanOrEqual(16 * MIB);
  });

  it('a fork bomb ends, and what is more than the limit is named', async () => {
    const limits = { processes: 100, timeoutMs: 5000 };
    // The first shell starts nothing more: one that the kernel lets start no more would end before the rest is counted.
    const script = 'bomb() { bomb | bomb & }; (bomb) 2>/dev/null & exec sleep 30';
    const bomb = await world.ask({ script, limits });
    expect(bomb.ending).toMatchObject({ kind: 'limit' });
    const many = '(while :; do sleep 30 & done) 2>/dev/null & exec sleep 30';
    const { ending } = await world.ask({ script: many, limits });
    expect(ending).toEqual({
      kind: 'limit',
      limit: 'processes',
      text: 'It started more than 100 processes and threads.',
    });
  });

  it('memory is not used up', async () => {
    const { ending } = await world.ask({
      command: [
        'node',
        '-e',
        'const all = []; setInterval(() => all.push(Buffer.alloc(8 << 20, 1)), 10);',
      ],
      limits: { memoryBytes: 256 * MIB },
    });
    expect(ending).toMatchObject({ kind: 'limit', limit: 'memory' });
  });

  it('ten gigabytes of output end after what is allowed', async () => {
    const { ending, stdout } = await world.ask({
      script: 'head -c 10737418240 /dev/zero',
      limits: { outputBytes: 4 * MIB },
    });
    expect(ending).toMatchObject({ kind: 'limit', limit: 'output' });
    expect(Number(stdout)).toBeLessThanOrEqual(4 * MIB);
  });

  it('it ends when its time is over', async () => {
    const { ending } = await world.ask({ script: 'sleep 100', limits: { timeoutMs: 300 } });
    expect(ending).toMatchObject({
      kind: 'limit',
      limit: 'time',
      text: 'It took longer than 0.3 seconds.',
    });
  });

  it('processes outside are neither seen nor signalled nor traced', async () => {
    const { pid } = world.child;
    const { stdout } = await world.ask({
      script: `kill -9 ${pid} && echo signalled; ls /proc/${pid}/mem 2>/dev/null && echo seen
        trap '' TERM; ls -d /proc/[0-9]* | wc -l
        command -v perl >/dev/null && perl -e 'print "traced\\n" if syscall(${process.arch === 'x64' ? 101 : 117}, 16, ${pid}, 0, 0) == 0'; kill -9 -1; echo no`,
    });
    const seen = Number(stdout.trim().split('\n')[0]);
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(10);
    expect(stdout).not.toMatch(/signalled|seen|traced/);
    expect((await world.ask({ script: 'echo alive' })).stdout).toBe('alive\n');
  });

  it('descriptors that were left open to us lead nowhere', async () => {
    const { stdout } = await world.ask({
      script:
        'for fd in /proc/self/fd/*; do ls "$fd/home" "$fd/../home"; done; ls -l /proc/self/fd; echo end',
    });
    expect(stdout).not.toContain('neighbour');
    expect(stdout).not.toContain(world.base);
    expect(stdout.endsWith('end\n')).toBe(true);
  });

  it('nothing is mounted, and no namespace is entered or made', async () => {
    const { stdout } = await world.ask({
      script: `mount -t tmpfs none /mnt && echo mounted; mount --bind / . && echo mounted; umount -l /usr && echo unmounted
        unshare -Ur true && echo made; unshare -m true && echo made; nsenter -t 1 -m true && echo entered
        mount -o remount,rw /usr && echo mounted; mknod disk b 254 0 && echo device; chroot / true && echo root; echo end`,
    });
    expect(stdout).toBe('end\n');
  });

  it('settings of the kernel cannot be changed', async () => {
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    const { stdout } = await world.ask({
      script: `for path in /proc/sys/kernel/core_pattern /proc/sys/kernel/pid_max /proc/sysrq-trigger /proc/self/oom_score_adj_none /sys/kernel/uevent_helper; do
          (: >>"$path") 2>/dev/null && [ -w "$path" ] && echo "open $path"; done; echo end`,
    });
    expect(stdout).toBe('end\n');
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
  });

  it('abstract sockets of the host are out of reach', async () => {
    const { stdout } = await world.ask({
      command: [
        'node',
        '-e',
        `require('node:net').connect({ path: '\\0${abstract}' }).on('error', (error) => console.log(error.code)).on('data', (text) => console.log(String(text)));`,
      ],
    });
    expect(stdout).toBe('ECONNREFUSED\n');
  });

  it('the keyring, sockets to a hypervisor and other odd system calls are refused', async () => {
    const numbers = process.arch === 'x64' ? [250, 41, 425] : [219, 198, 425];
    const [keyctl, socket, ring] = numbers;
    const { stdout } = await world.ask({
      script: `command -v perl >/dev/null || { echo 1 1 1; exit; }
        perl -e 'print join(" ", map { $! = 0; syscall($_->[0], @$_[1 .. $#$_]); $! + 0 } [${keyctl}, 0, -3, 0], [${socket}, 40, 1, 0], [${ring}, 1, 0]), "\\n"'`,
    });
    expect(stdout).toBe('1 1 1\n');
  });

  it('there is no terminal, and no secret in the environment or arguments', async () => {
    const { stdout } = await world.ask({
      script:
        '(: </dev/tty) 2>/dev/null && echo "a ""terminal"; tr "\\0" "\\n" </proc/1/environ; env; cat /proc/1/cmdline',
    });
    expect(stdout).toContain('HOME=/run/millrace/home');
    expect(stdout).not.toContain('a terminal');
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toContain(join(world.home, 'state', 'sandboxes'));
  });
});
