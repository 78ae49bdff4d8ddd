// What is left of sandboxes when the process that uses them ends, however it does.
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { removeAbandoned } from '../../src/sandbox/workplace.ts';
import { NO_SANDBOX, USERS, openWorld } from './world.ts';
import type { World } from './world.ts';

function isRunning(mark: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(`sleep\0${mark}`)
      );
    } catch {
      return false;
    }
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!condition() && performance.now() < deadline) await delay(20);
  expect(condition()).toBe(true);
}

/** A world with a command under way that ends by itself only after minutes. */
async function withCommand(uid: number): Promise<{ world: World; mark: string; folder: string }> {
  const world = openWorld(uid);
  const mark = `321.${uid}${process.pid}`;
  world.ask({ script: `setsid sleep ${mark} & sleep ${mark}` }).catch(() => undefined);
  await until(() => isRunning(mark));
  return { world, mark, folder: join(world.home, 'state', 'sandboxes') };
}

describe.skipIf(NO_SANDBOX !== undefined).each(USERS)('sandboxes of %s', (_user, uid) => {
  it.each(['SIGINT', 'SIGTERM'] as const)('are gone after %s', async (signal) => {
    const { world, mark, folder } = await withCommand(uid);
    world.child.kill(signal);
    await once(world.child, 'exit');
    expect(world.child.signalCode).toBe(signal);
    expect(readdirSync(folder)).toEqual([]);
    await until(() => !isRunning(mark));
    await world.close();
  });

  it('leave no process after kill -9, and their copies go at the next start', async () => {
    const { world, mark, folder } = await withCommand(uid);
    world.child.kill('SIGKILL');
    await once(world.child, 'exit');
    await until(() => !isRunning(mark));
    expect(readdirSync(folder)).not.toEqual([]);
    removeAbandoned(folder);
    expect(readdirSync(folder)).toEqual([]);
    await world.close();
  });

  it('of a living process stay where they are at the start of another', async () => {
    const { world, folder } = await withCommand(uid);
    const [own = ''] = readdirSync(folder).filter((name) => !name.endsWith('.lock'));
    removeAbandoned(folder);
    expect(existsSync(join(folder, own))).toBe(true);
    world.child.kill('SIGTERM');
    await once(world.child, 'exit');
    await world.close();
  });
});
