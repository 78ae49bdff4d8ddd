// The copy of the project that one attempt of an agent works in. That of an attempt that failed stays until the run ends,
// so that a person can see how far it came; where the person asked for it, also after that.
import { rm } from 'node:fs/promises';
import type { Copy } from '../../sandbox/copy/copy.ts';
import { PictureError } from '../../sandbox/copy/picture.ts';
import { bytesIn } from '../../sandbox/watch.ts';
import { keepCopy } from '../state/keep-copy.ts';
import type { CopyRecord } from '../state/copy-record.ts';
import { copyFileOf, writeRecord } from '../state/run-folder.ts';
import type { RunContext } from './context.ts';
import type { StreamOutcome } from './stream-outcome.ts';

/** Written by one attempt. A run has many, and what fails by writing too much must not fill the disk until its end. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

const isSmall = ({ mounts }: Copy) => {
  const most = mounts.startBytes + MOST_KEPT_BYTES;
  const sizes = mounts.written.map((folder) => bytesIn(folder, most + 1));
  return sizes.reduce((sum, size) => sum + size, 0) <= most;
};

export interface AttemptCopy {
  /** Nobody may write files meanwhile. */
  open(): Promise<Copy>;
  /** Nothing runs in it any more. */
  end(outcome: StreamOutcome['kind']): Promise<void>;
}

export function createAttemptCopy(
  { stateDir, runId, runSandbox, options, emit }: RunContext,
  place: { stream: string; attempt: number },
): AttemptCopy {
  const file = copyFileOf(stateDir, runId, place);
  let opened: { copy: Copy; record: CopyRecord } | undefined;

  async function keep({ record }: { record: CopyRecord }): Promise<void> {
    try {
      await keepCopy({ stateDir, runId }, record);
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      const message = `The copy of ${place.stream} was not kept. ${error.message}`;
      emit({ type: 'run.note', level: 'warning', code: 'COPY', message, about: place.stream });
      await rm(file, { force: true });
    }
  }

  return {
    async open() {
      const copy = await runSandbox!.openCopy({ keepsDependencies: false });
      const openedAt = options.now().toISOString();
      const record = { ...place, openedAt, ended: null, place: copy.place, kept: null };
      opened = { copy, record };
      await writeRecord(file, record);
      return copy;
    },
    async end(outcome) {
      if (opened === undefined) return;
      const { copy } = opened;
      const isFailed = outcome === 'failed';
      const record: CopyRecord = { ...opened.record, ended: isFailed ? 'failed' : 'stopped' };
      if (outcome !== 'complete' && options.keepCopies) await keep({ record });
      else if (isFailed && isSmall(copy)) {
        copy.shrink();
        await writeRecord(file, record);
        return;
      } else await rm(file, { force: true });
      copy.remove();
    },
  };
}
