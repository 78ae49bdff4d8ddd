import type { RunStream, RunSummary } from '../../../src/contract/history-api.ts';
import type { RunStore } from '../../live/run-store.ts';

/** What every part of the page of a run is given. */
export interface RunView {
  runId: string;
  store: RunStore;
  /** What the history has of it; a run may be on the page before that. */
  recorded: { run: RunSummary; streams: RunStream[] } | undefined;
  selected: string | undefined;
  onOpen: (streamId: string | undefined) => void;
}
