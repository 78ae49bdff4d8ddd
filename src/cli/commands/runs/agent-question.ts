// A question of the built-in agent, at the terminal of the run.
import { AnsweredElsewhere } from '../../../orchestrator/index.ts';
import { askText } from '../../terminal/ask.ts';
import type { TerminalTurn } from '../../terminal/one-at-a-time.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { RunView } from './view/run-view.ts';

function endText({ by, answer }: AnsweredElsewhere): string {
  if (by === undefined) return 'Nobody answered in time: it decides itself.';
  return answer === undefined ? `${by} lets it decide itself.` : `${by} answered: ${answer}`;
}

export function createAgentQuestion(view: RunView, terminal: TerminalTurn) {
  return (stream: string, question: string, signal: AbortSignal): Promise<string> =>
    terminal(async () => {
      if (signal.aborted) return '';
      view.hold();
      try {
        complain(styledNote('bold', `${plain(stream)} asks: ${plain(question)}`));
        const answer = await askText('Your answer (empty: it decides itself): ', signal);
        const { reason } = signal;
        if (signal.aborted && reason instanceof AnsweredElsewhere) complain(plain(endText(reason)));
        return answer;
      } finally {
        view.resume();
      }
    });
}
