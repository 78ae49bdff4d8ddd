// How much a clone may take of the disk of its machine: who asks for runs has no say in it.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { plainCommand } from '../domain/command/suggested-command.ts';

const execute = promisify(execFile);

const GIB = 1024 ** 3;
export const MOST_CLONE_BYTES = 20 * GIB;
/** Between looks at a clone that grows. */
const LOOK_MS = 1000;

/** What the folder takes, with all in it; of what goes away meanwhile it may count some. */
export async function bytesIn(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0;
  const printed = await execute('du', ['-sk', folder]).then(
    ({ stdout }) => stdout,
    // It complains of files that went away, and prints the sum of the rest.
    (error: { stdout?: string }) => error.stdout ?? '',
  );
  return Number(/^\d+/.exec(printed)?.[0] ?? 0) * 1024;
}

export class CloneTooLarge extends Error {
  override name = 'CloneTooLarge';
  readonly remedy: string;

  constructor(name: string, mostBytes: number) {
    const most = Number((mostBytes / GIB).toPrecision(3));
    super(`The clone of ${name} takes more than the ${most} GB that its runner keeps for one.`);
    this.remedy = plainCommand('runner', '--clone-size', String(Math.ceil(most * 2)));
  }
}

/** Its host takes the connection and says no more, or the way to it was lost without a word. */
class SilentRepository extends Error {
  override name = 'SilentRepository';

  constructor(name: string, silentMs: number) {
    const seconds = Math.round(silentMs / 1000);
    const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
    super(`The repository of ${name} has sent nothing for ${time}.`);
  }
}

/** Aborts, with what to say, as soon as the folder is larger or stops growing. The caller stops it. */
export function watchFetch(
  folder: string,
  { name, mostBytes, silentMs }: { name: string; mostBytes: number; silentMs: number },
): { broken: AbortSignal; stop(): Promise<void> } {
  const broken = new AbortController();
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;
  let timer: NodeJS.Timeout;
  let last = { bytes: -1, at: performance.now() };
  const look = async () => {
    const bytes = await bytesIn(folder);
    if (bytes !== last.bytes) last = { bytes, at: performance.now() };
    if (bytes > mostBytes) broken.abort(new CloneTooLarge(name, mostBytes));
    else if (performance.now() - last.at > silentMs) {
      broken.abort(new SilentRepository(name, silentMs));
    } else if (!isStopped) later();
  };
  const later = () => {
    timer = setTimeout(() => void (looking = look()), LOOK_MS).unref();
  };
  later();
  return {
    broken: broken.signal,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** What a fetch that was broken off has left. */
export function dropHalves(bare: string): void {
  const packs = join(bare, 'objects/pack');
  if (!existsSync(packs)) return;
  for (const name of readdirSync(packs)) {
    if (name.startsWith('tmp_')) rmSync(join(packs, name), { force: true });
  }
  for (const name of readdirSync(join(bare, 'objects'))) {
    if (name.startsWith('tmp_') || name.startsWith('incoming-')) {
      rmSync(join(bare, 'objects', name), { recursive: true, force: true });
    }
  }
}
