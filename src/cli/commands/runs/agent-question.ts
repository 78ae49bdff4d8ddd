// A question of the built-in agent, at the terminal of the run.
import { askText } from '../../terminal/ask.ts';
import type { TerminalTurn } from '../../terminal/one-at-a-time.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { RunView } from './view/run-view.ts';

export function createAgentQuestion(view: RunView, terminal: TerminalTurn) {
  return (stream: string, question: string, signal: AbortSignal): Promise<string> =>
    terminal(async () => {
      if (signal.aborted) return '';
      view.hold();
      try {
        complain(styledNote('bold', `${plain(stream)} asks: ${plain(question)}`));
        return await askText('Your answer (empty: it decides itself): ', signal);
      } finally {
        view.resume();
      }
    });
}
