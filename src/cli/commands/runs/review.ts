// Every change is shown and agreed to before it is written.
import { isSimulatedModel } from '../../../domain/model/model-routing.ts';
import { unifiedDiff } from '../../../orchestrator/index.ts';
import type { Review } from '../../../orchestrator/index.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { ask } from '../../terminal/ask.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import type { RunView } from './view/run-view.ts';

const CHOICES = '[y]es, [n]o, [a]ll from here on, [q]uit: ';

/** A simulated change looks like any other, and the file that it is for is a real one. */
const questionFor = (model: string) =>
  isSimulatedModel(model)
    ? `${plain(model)} is simulated. Write this file anyway? ${CHOICES}`
    : `Write this file? ${CHOICES}`;

export function createReview(options: {
  view: RunView;
  signal: AbortSignal;
  quit(): void;
}): Review {
  const { view, signal, quit } = options;
  let takesAll = false;

  async function decide(question: string): Promise<'yes' | 'no' | 'quit'> {
    for (;;) {
      const answer = await ask(question, signal);
      // Nobody there any more: nothing is written without a yes.
      if (signal.aborted || answer === 'q') return 'quit';
      if (answer === 'y' || answer === 'yes') return 'yes';
      if (answer === 'n' || answer === 'no') return 'no';
      if (answer === 'a' || answer === 'all') {
        takesAll = true;
        return 'yes';
      }
      if (answer === '' && !process.stdin.readable) return 'quit';
    }
  }

  return async (task, changes) => {
    const accepted = new Set<string>();
    if (takesAll) return new Set(changes.map(({ path }) => path));
    view.hold();
    try {
      for (const [index, change] of changes.entries()) {
        if (!takesAll) {
          const place = `file ${index + 1} of ${changes.length}`;
          complain(styledNote('bold', `${plain(task.id)}: ${plain(task.name)} (${place})`));
          complain(colourDiff(unifiedDiff(change), styledNote));
        }
        const decision = takesAll ? 'yes' : await decide(questionFor(task.model));
        if (decision === 'quit') {
          quit();
          return new Set();
        }
        if (decision === 'yes') accepted.add(change.path);
      }
      return accepted;
    } finally {
      view.resume();
    }
  };
}
