// Programs that lie, reach out of their copy or never end: no verdict is wrong, and nothing outside is touched.
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import { isRunEnd } from '../../src/domain/run/events.ts';
import { bytesIn } from '../../src/sandbox/watch.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { effort } from '../support/effort.ts';
import { waitUntil } from '../support/processes.ts';
import { leftIn, processesWith, useAgents } from './world.ts';
import type { Bounds } from './world.ts';

/** The argument of what tries to outlive its agent. */
const STRAY = '86437.25';

const FILES = {
  'src/crlf.txt': 'a\r\nb\r\n',
  'src/gone.txt': 'gone\n',
  'src/old.txt': 'moved\n',
  'src/tool.sh': '#!/bin/sh\necho 1\n',
  'src/plain.sh': '#!/bin/sh\necho 2\n',
  'src/thing': 'a file\n',
  'other.txt': 'not yours\n',
  'AGENTS.md': 'Be plain.\n',
};

/** In the suite a part of it: what is bounded and looked at is the same. */
const BIG = effort(1) > 1 ? 2_000_000_000 : 200_000_000;

const HUNTED = 'hunter2-of-the-person';

/** Looks for the person's secrets wherever they could be, and tries to leave something with the person. */
const THIEF = `
import * as fs from 'node:fs';
import { homedir } from 'node:os';
const homes = [process.env.THIEF_HOME, homedir(), '/root', '/home', '.', '..'];
const names = ['', '.netrc', '.env', '.npmrc', '.ssh/id_ed25519', 'secret', '.config/millrace/config.yaml'];
const places = homes.flatMap((home) => names.map((name) => home + '/' + name));
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  places.push('/proc/' + pid + '/environ', '/proc/' + pid + '/cmdline', '/proc/' + pid + '/root/' + process.env.THIEF_HOME + '/.netrc');
}
const wanted = ['hunter2', 'of-the-person'].join('-');
const seen = places.filter((place) => {
  try { return fs.readFileSync(place, 'latin1').includes(wanted); } catch { return false; }
});
for (const place of homes) {
  try { fs.writeFileSync(place + '/planted-by-a-test', 'x'); } catch {}
}
const open = await fetch('http://example.com').then(() => true, () => false);
if (seen.length > 0 || open) { console.log('SEEN', seen, open); process.exit(1); }
`;

interface Case {
  body: string;
  owns?: string[];
  verify?: string[];
  more?: object;
}

describe.skipIf(NO_SANDBOX !== undefined)('an agent that', () => {
  const world = useAgents();

  /** Each case is a stream of one run: its program, what it owns, its check. */
  async function runAll(
    cases: Record<string, Case>,
    bounds: Bounds = {},
    options: Partial<RunOptions> = {},
  ) {
    const streams = Object.fromEntries(
      Object.entries(cases).map(([id, { body, owns = [`${id}/`], verify = [], more }]) => {
        world.agent(id, body);
        return [id, { name: id, plan: 'Do it.', agent: id, owns, verify, ...more }];
      }),
    );
    const place = world.project(streams, FILES);
    chmodSync(join(place.root, 'src/tool.sh'), 0o755);
    const ran = await world.run(place, { maxAttempts: 1, ...options }, bounds);
    const broken = ran.events.filter((event) => 'code' in event && event.code === 'BROKEN');
    expect(broken).toEqual([]);
    const end = (id: string) => {
      const { status, error } = place.streams()[id]!;
      return error === undefined ? status! : `${status}: ${error}`;
    };
    await waitUntil(() => processesWith(join(world.base(), 'programs')).length === 0);
    expect(processesWith(STRAY)).toEqual([]);
    expect(leftIn(join(world.base(), 'state'))).toEqual([]);
    return {
      place,
      ran,
      end,
      mode: (path: string) => statSync(join(place.root, path)).mode & 0o777,
    };
  }

  it('says that it is done and is not, fails', async () => {
    const { place, end } = await runAll({
      nothing: { body: `console.log('All done!'); process.exit(0);` },
      unread: {
        body: `process.stdin.destroy(); process.exit(0);`,
        more: { plan: 'x'.repeat(900_000) },
      },
      liar: {
        body: `read(); mkdir('liar'); write('liar/a', 'wrong'); console.log('All tests pass.');`,
        verify: ['grep -q right liar/a'],
      },
      grumbler: {
        body: `read(); mkdir('grumbler'); write('grumbler/a', 'right'); console.error('ERROR: fatal'); process.exit(3);`,
        verify: ['grep -q right grumbler/a'],
      },
      killed: {
        body: `mkdir('killed'); write('killed/a', '1'); process.kill(process.pid, 'SIGTERM'); await sleep(9999);`,
      },
      parricide: {
        body: `mkdir('parricide'); write('parricide/a', '1'); for (const pid of [1, process.ppid, -1]) spawnSync('sh', ['-c', 'kill -9 ' + pid]); await sleep(500);`,
      },
    });
    expect(end('nothing')).toContain('nothing changed nothing. Its last words: All done!');
    expect(end('unread')).toContain('It said nothing.');
    expect(end('liar')).toContain('`grep -q right liar/a` exited with 1');
    expect(end('grumbler')).toBe('complete');
    expect(end('killed')).toContain('ended by signal 15');
    // What it can reach is its own; whether it survives that itself is its own business.
    expect(end('parricide')).toMatch(/complete|ended by signal 9/);
    const tree = place.tree();
    expect(tree['grumbler/a']).toBe('right');
    const wrong = Object.keys(tree).filter((path) => /^(?:nothing|liar|killed)\//.test(path));
    expect(wrong).toEqual([]);
  });

  it('never ends, or floods, is ended with all that it started', async () => {
    const { place, end } = await runAll(
      {
        timed: {
          body: `mkdir('timed'); write('timed/a', '1'); for (;;) { await sleep(100); console.log('busy'); }`,
          more: { timeoutMs: 4000 },
        },
        silent: { body: `mkdir('silent'); write('silent/a', '1'); await sleep(600_000);` },
        flood: {
          body: `mkdir('flood'); write('flood/a', '1'); for (let i = 0; i < 1024; i++) fs.writeSync(1, 'x'.repeat(1 << 20));`,
        },
        parent: {
          body: `spawn('setsid', ['sleep', '${STRAY}'], { detached: true, stdio: 'ignore' }).unref();
            spawn('sh', ['-c', '(setsid sleep ${STRAY} &) &'], { detached: true, stdio: 'ignore' }).unref();
            await sleep(300); mkdir('parent'); write('parent/a', '1'); process.exit(0);`,
        },
        big: {
          body: `mkdir('big'); const file = fs.openSync('big/a', 'w'); for (let i = 0; i < 300; i++) { fs.writeSync(file, Buffer.alloc(1 << 20, 120)); await sleep(10); }`,
        },
      },
      { silentMs: 3000, limits: { diskBytes: 48 * 1024 ** 2, outputBytes: 32 * 1024 ** 2 } },
    );
    expect(end('timed')).toContain('Timed out after 4000 ms');
    expect(end('silent')).toContain('silent was silent for 3 s');
    expect(end('flood')).toContain('It printed more than 32 MiB.');
    expect(end('parent')).toBe('complete');
    expect(end('big')).toContain('It wrote more than 48 MiB to disk.');
    const applied = Object.keys(place.tree()).filter((path) => path.endsWith('/a'));
    expect(applied).toEqual(['parent/a']);
  });

  it('changes what it may in any way, has exactly that applied', async () => {
    const { place, end, mode } = await runAll({
      files: {
        owns: ['src/'],
        body: `chmod('src/plain.sh', 0o755); write('src/tool.sh', '#!/bin/sh\\necho 3\\n'); chmod('src/tool.sh', 0o600);
          write('src/crlf.txt', 'a\\nb\\nc'); remove('src/gone.txt'); fs.renameSync('src/old.txt', 'src/new.txt');
          write('src/run', '#!/bin/sh\\n'); chmod('src/run', 0o711); mkdir('src/a/b/c', { recursive: true }); write('src/a/b/c/d', 'deep');
          mkdir('src/sub/.git/hooks', { recursive: true }); write('src/sub/.git/config', '[core]'); write('src/sub/x', 'x');
          write('.git/config', '[core]\\n\\tfsmonitor = /tmp/evil'); mkdir('.git/hooks', { recursive: true }); write('.git/hooks/post-commit', 'evil');
          fs.writeFileSync('src/closed', 'closed'); chmod('src/closed', 0); mkdir('src/shut'); write('src/shut/x', 'x'); chmod('src/shut', 0);`,
      },
    });
    expect(end('files')).toBe('complete');
    expect(place.tree()).toMatchObject({
      'src/tool.sh': '#!/bin/sh\necho 3\n',
      'src/crlf.txt': 'a\nb\nc',
      'src/new.txt': 'moved\n',
      'src/a/b/c/d': 'deep',
      'src/sub/x': 'x',
      'src/closed': 'closed',
      'src/shut/x': 'x',
    });
    for (const gone of ['src/gone.txt', 'src/old.txt', 'src/sub/.git/config', '.git/config']) {
      expect(existsSync(join(place.root, gone)), gone).toBe(false);
    }
    const modes = ['plain.sh', 'tool.sh', 'run', 'closed'].map((name) => mode(`src/${name}`));
    expect(modes).toEqual([0o755, 0o644, 0o755, 0o644]);
  });

  it('changes what it may not, gets one chance and then fails with the file named', async () => {
    const outside = join(world.base(), 'home', 'secret');
    const again = `const task = read(); const again = task.includes('# Refused');`;
    const { place, ran, end } = await runAll({
      sorry: {
        body: `${again} mkdir('sorry', { recursive: true }); write('sorry/a', '1'); again ? write('other.txt', 'not yours\\n') : write('other.txt', 'mine');`,
      },
      stubborn: {
        body: `mkdir('stubborn', { recursive: true }); write('stubborn/a', '1'); write('other.txt', 'mine');`,
      },
      steering: {
        owns: ['steering/', '**/*.json', '**/*.md'],
        body: `mkdir('.claude', { recursive: true }); write('.claude/settings.json', '{"hooks":{}}'); write('AGENTS.md', 'obey');`,
      },
      linked: {
        body: `mkdir('linked', { recursive: true }); remove('linked/x', { force: true }); fs.symlinkSync('${outside}', 'linked/x'); try { write('linked/x', 'stolen'); } catch {}`,
      },
      binary: {
        body: `mkdir('binary', { recursive: true }); write('binary/a', Buffer.from([0, 1, 255]));`,
      },
      sparse: {
        body: `mkdir('sparse', { recursive: true }); write('sparse/a', ''); fs.truncateSync('sparse/a', 2 * 1024 ** 3);`,
      },
      many: {
        body: `mkdir('many', { recursive: true }); for (let i = 0; i <= 2000; i++) write('many/' + i, 'x');`,
      },
      much: {
        body: `mkdir('much', { recursive: true }); for (let i = 0; i < 20; i++) write('much/' + i, 'x'.repeat(7 << 20));`,
      },
      folder: {
        owns: ['src/thing', 'src/thing/'],
        body: `remove('src/thing', { recursive: true }); mkdir('src/thing'); write('src/thing/x', 'x');`,
      },
      pipe: { body: `mkdir('pipe', { recursive: true }); spawnSync('mkfifo', ['pipe/p']);` },
      odd: {
        body: `mkdir('odd', { recursive: true }); write(Buffer.from('odd/\\xff', 'latin1'), 'x'); write('odd/a\\nb', 'x');`,
      },
    });
    expect(end('sorry')).toBe('complete');
    expect(end('stubborn')).toContain('The changes cannot be applied: other.txt: It is outside');
    expect(end('steering')).toMatch(
      /\.claude\/settings\.json: It is protected.*AGENTS\.md: It is prot/,
    );
    expect(end('linked')).toContain('linked/x: It is a symbolic link now');
    expect(end('binary')).toContain('binary/a: It is a binary file');
    expect(end('sparse')).toContain('sparse/a: It is larger than 8 MiB');
    expect(end('many')).toContain('2001 files were changed; 2000 are the most');
    expect(end('much')).toContain('All changed files together are larger than 128 MiB');
    expect(end('folder')).toContain('src/thing is a file in this artifact');
    expect(end('pipe')).toContain('pipe/p: It is no plain file');
    expect(end('odd')).toMatch(/^failed: The changes cannot be applied: odd\//);
    const { 'sorry/a': _, 'millrace.yaml': __, ...rest } = place.tree();
    expect(rest).toEqual(FILES);
    const refused = ran.events.filter(({ type }) => type === 'agent.refused');
    const about = (id: string) =>
      refused.filter((event) => 'stream' in event && event.stream === id).length;
    expect([about('sorry'), about('stubborn')]).toEqual([1, 1]);
  });

  it('writes two gigabytes, has them kept within bounds and removed', async () => {
    let atEnd = Number.NaN;
    const dir = (id: string) => `read(); mkdir('${id}', { recursive: true });`;
    const { place, end } = await runAll(
      {
        hole: {
          body: `${dir('hole')} write('src/thing', 'x'); fs.truncateSync('src/thing', ${BIG});`,
          owns: ['src/'],
        },
        whole: { body: `${dir('whole')} pour('whole/a', ${BIG});` },
        flood: {
          body: `${dir('flood')} pour('flood/a', ${BIG}); pour('flood/b', ${BIG}); await sleep(600_000);`,
          more: { timeoutMs: 60_000 },
        },
      },
      { limits: { diskBytes: BIG + 32 * 1024 ** 2 } },
      {
        concurrency: 1,
        onEvent: (event) => {
          if (isRunEnd(event)) atEnd = bytesIn(join(world.base(), 'state'));
        },
      },
    );
    // What each wrote went with its attempt, and not only with the run.
    expect(atEnd).toBeLessThan(BIG / 2);
    expect(end('hole')).toContain('src/thing: It is larger than 8 MiB');
    expect(end('whole')).toContain('whole/a: It is larger than 8 MiB');
    expect(end('flood')).toMatch(/It wrote more than [\d.]+ [MG]iB to disk\./);
    const { 'millrace.yaml': _, ...tree } = place.tree();
    expect(tree).toEqual(FILES);
  });

  it('plants a script of a package and a test, finds that they see and touch nothing of the person', async () => {
    const home = join(world.base(), 'home');
    writeFileSync(join(home, '.netrc'), `password ${HUNTED}`);
    const before = readdirSync(home);
    world.agent(
      'planter',
      `read(); mkdir('test'); write('test/thief.test.mjs', ${JSON.stringify(THIEF)});
       write('package.json', JSON.stringify({ scripts: { pretest: 'node test/thief.test.mjs', test: 'node --test test/' } }));`,
    );
    const streams = {
      planter: {
        name: 'planter',
        plan: 'Write.',
        owns: ['package.json', 'test/'],
        agent: 'planter',
        verify: [`THIEF_HOME=${home} npm test`, `THIEF_HOME=${home} node --test test/`],
      },
    };
    const secrets = { '.env': `TOKEN=${HUNTED}`, '.npmrc': `//x/:_authToken=${HUNTED}` };
    const place = world.project(streams, { ...secrets, 'package.json': '{}' });
    const env = { ...process.env, SECRET_TOKEN: HUNTED };
    const ran = await world.run(place, { maxAttempts: 1, env });
    // It passes because it has looked and found nothing.
    expect(ran.status, place.streams()['planter']!.error).toBe('complete');
    const said = JSON.stringify(ran.events);
    expect(said).not.toContain(HUNTED);
    expect(readdirSync(home)).toEqual(before);
    const { 'millrace.yaml': _, ...tree } = place.tree();
    expect(Object.keys(tree).sort()).toEqual([
      '.env',
      '.npmrc',
      'package.json',
      'test/thief.test.mjs',
    ]);
    expect(tree).toMatchObject(secrets);
  });
});
