// Agents where no sandbox can be had: refused, unless a person at a terminal does without; and then every view says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Project } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { MAIN, cleanEnv, runCli } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { startInPty } from '../terminal/pty.ts';
import { leftIn, processesWith, useAgents } from './world.ts';

const HIDE = 'mount --bind /dev/null "$(realpath /usr/bin/bwrap)" && exec "$@"';
/** A machine without bubblewrap. */
const WITHOUT = ['unshare', '-U', '-r', '-m', '--', 'sh', '-c', HIDE, 'sh'];
const SIZE = { columns: 120, rows: 40 };
const FLAG = '--agents-without-sandbox';
const SAID = 'agents without a sandbox';

describe.skipIf(NO_SANDBOX !== undefined)('where there is no sandbox', () => {
  const world = useAgents();
  const marker = () => join(world.base(), 'left-behind');

  function settings(more = ''): Record<string, string> {
    const config = join(world.base(), 'config');
    const file = world.agent(
      'free',
      `read(); const root = base.replace('/model/anthropic', '');
       const said = { status: (await call()).status, pid: process.pid, cwd: process.cwd(), home: process.env.HOME,
         secret: Object.keys(process.env).filter((name) => /SECRET|MILLRACE_API/.test(name)),
         keyless: (await fetch(base + '/v1/messages', { method: 'POST', body: '{}' })).status };
       spawn('sh', ['-c', 'setsid sh -c "exec tail -f ${marker()}" & '], { detached: true, stdio: 'ignore' });
       spawn('env', ['-i', 'tail', '-f', '${marker()}'], { stdio: 'ignore' });
       const lines = () => fs.readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid)).map((pid) => { try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'); } catch { return ''; } });
       while (fs.existsSync('${marker()}') && lines().filter((line) => line.startsWith('tail') && line.includes('${marker()}')).length < 2) await sleep(20);
       mkdir('out', { recursive: true }); write('out/said', JSON.stringify(said)); write('outside', ''); remove('outside'); process.exit();`,
    );
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^#!.*/, `#!${process.execPath}`));
    writeFileSync(marker(), '');
    mkdirSync(config, { recursive: true });
    const agents = `agents:\n  free: {command: [${file}], protocol: stdin}\n${more}`;
    writeFileSync(join(config, 'config.yaml'), agents, { mode: 0o600 });
    return {
      HOME: join(world.base(), 'home'),
      XDG_STATE_HOME: '',
      MILLRACE_CONFIG_DIR: config,
      MILLRACE_URL: world.server.url,
      MILLRACE_API_KEY: world.server.key,
      MY_SECRET: 'hunter2',
    };
  }
  const project = (more: object = {}) =>
    world.project({ s: { name: 's', plan: 'Write.', agent: 'free', owns: ['out/'], ...more } });

  async function run(place: Project, given: Record<string, string>, ...words: string[]) {
    const [program = '', ...line] = WITHOUT;
    const child = spawn(program, [...line, process.execPath, MAIN, 'run', '--yes', ...words], {
      cwd: place.root,
      env: cleanEnv(given),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, errors };
  }

  it('agents are refused, and --yes or a background run is no consent', async () => {
    const given = settings();
    const place = project();
    const plain = await run(place, given);
    expect([plain.code, plain.errors]).toEqual([2, expect.stringContaining(FLAG)]);
    expect(plain.errors).toContain('apt install bubblewrap');
    const flagged = await run(place, given, FLAG);
    expect([flagged.code, flagged.errors]).toEqual([2, expect.stringContaining('--yes does not')]);
    expect(flagged.errors).toContain('they can read and change all your files');
    const away = await run(place, given, FLAG, '--detach');
    expect([away.code, away.errors]).toEqual([2, expect.stringContaining('--detach cannot')]);
    const checked = await run(project({ verify: ['true'] }), given, FLAG);
    expect([checked.code, checked.errors]).toEqual([2, expect.stringContaining('commands: host')]);
    expect(world.vendor().calls).toEqual([]);
  });

  it('they work in their copy once a person agreed, end whole, and every view says it', async () => {
    const place = project({ verify: ['test -e out/said'] });
    const root = realpathSync.native(place.root);
    const given = settings(`projects: {${JSON.stringify(root)}: {commands: host}}\n`);
    const inPty = () =>
      startInPty({ folder: place.root, settings: given }, ['run', '--yes', FLAG], SIZE, {
        through: WITHOUT,
      });
    const refused = inPty();
    await refused.waitFor(/Let them work without a sandbox in this run\?/);
    refused.type('n\r');
    expect(await refused.ended).toBe(2);
    const agreed = inPty();
    await agreed.waitFor(/Let them work without a sandbox in this run\?/);
    agreed.type('y\r');
    expect(await agreed.ended, (await agreed.lines()).join('\n')).toBe(0);
    const shown = (await agreed.lines()).filter((line) => line.includes(`! ${SAID}`));
    // In the summary, and above the streams as long as that is on the screen.
    expect(shown.length).toBeGreaterThan(0);
    const { cwd, home, status, keyless, secret } = JSON.parse(place.read('out/said'));
    expect({ status, keyless, secret }).toEqual({ status: 200, keyless: 401, secret: [] });
    const state = join(given['HOME']!, '.local', 'state', 'millrace');
    expect(cwd.startsWith(join(state, 'sandboxes'))).toBe(true);
    expect(home.startsWith(join(state, 'sandboxes'))).toBe(true);
    expect(place.exists('outside')).toBe(false);
    await waitUntil(() => processesWith(marker()).length === 0);
    expect(leftIn(state)).toEqual([]);
    const cli = async (...words: string[]) =>
      (await runCli(['-C', place.root, ...words], given)).stdout;
    for (const view of ['status', 'watch', 'logs']) expect(await cli(view), view).toContain(SAID);
    expect(JSON.parse(await cli('status', '--json'))).toMatchObject({ agentsWithoutSandbox: true });
    // Where there is one, it is used.
    const usual = await runCli(['-C', place.root, 'run', '--from', 's', '--yes', FLAG], given);
    expect([usual.code, usual.stderr]).toEqual([0, expect.stringContaining('has no effect')]);
    // The Node of its first line is no tool on the PATH inside.
    expect(JSON.parse(place.read('out/said')).cwd).toBe(root);
  });
});
