// What happened, line by line: every strike of a nemesis, every violation, the end. Written as it happens, so that
// a run that falls over has left everything up to there.
import { appendFileSync } from 'node:fs';

export interface Journal {
  note(event: string, details?: Record<string, unknown>): void;
}

export function createJournal(file: string | undefined, isLoud: boolean): Journal {
  const begun = performance.now();
  return {
    note(event, details = {}) {
      const line = { atMs: Math.round(performance.now() - begun), event, ...details };
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
      if (isLoud) console.log(`  ${(line.atMs / 1000).toFixed(1).padStart(6)}s  ${event}`, details);
    },
  };
}
