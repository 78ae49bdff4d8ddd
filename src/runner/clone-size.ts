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

/** Aborts as soon as the folder is larger. The caller stops it. */
export function watchSize(
  folder: string,
  mostBytes: number,
): { tooLarge: AbortSignal; stop(): Promise<void> } {
  const tooLarge = new AbortController();
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    if ((await bytesIn(folder)) > mostBytes) tooLarge.abort();
    else if (!isStopped) later();
  };
  const later = () => {
    timer = setTimeout(() => void (looking = look()), LOOK_MS).unref();
  };
  later();
  return {
    tooLarge: tooLarge.signal,
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
