// Every change is shown and agreed to before it is written.
import { isSimulatedModel } from '../../../domain/model/model-routing.ts';
import type { Decision, Review } from '../../../orchestrator/index.ts';
import { plain } from '../../terminal/plain-text.ts';
import { askHunks } from './ask-hunks.ts';
import type { RunView } from './view/run-view.ts';

/** A simulated change looks like any other, and the file that it is for is a real one. */
const questionFor = (model: string, what: string) =>
  isSimulatedModel(model)
    ? `${plain(model)} is simulated. Write this ${what} anyway?`
    : `Write this ${what}?`;

export function createReview(options: {
  view: RunView;
  signal: AbortSignal;
  quit(): void;
}): Review {
  const { view, signal, quit } = options;
  return async (task, files) => {
    const decisions = new Map<string, Decision>();
    view.hold();
    try {
      const isDone = await askHunks({
        files,
        decisions,
        signal,
        title: (_, place) => `${plain(task.id)}: ${plain(task.name)} (${place})`,
        question: (what) => questionFor(task.model, what),
        words: { yes: 'write', no: 'leave out', quit: 'stop the run; it can be resumed' },
      });
      if (isDone) return decisions;
      quit();
      return new Map();
    } finally {
      view.resume();
    }
  };
}
