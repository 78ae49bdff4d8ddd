// A question on the terminal.
import { createInterface } from 'node:readline/promises';

/** The answer without spaces, in small letters; empty when the question was given up. */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
  return (await askText(question, signal)).toLowerCase();
}

/** As it was written. */
export async function askText(question: string, signal?: AbortSignal): Promise<string> {
  // Not a terminal to readline: ctrl-c stays a signal, and the line is edited by the system.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const gone = new AbortController();
  lines.once('close', () => gone.abort());
  try {
    const signals = signal ? [signal, gone.signal] : [gone.signal];
    const answer = await lines.question(question, { signal: AbortSignal.any(signals) });
    return answer.trim();
  } catch (error) {
    if ((error as Error).name === 'AbortError') return '';
    throw error;
  } finally {
    lines.close();
  }
}

/** Lines until an empty one, or until nobody answers any more. */
export async function askLines(prompt: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const stop = () => lines.close();
  signal?.addEventListener('abort', stop, { once: true });
  const said: string[] = [];
  try {
    lines.setPrompt(prompt);
    lines.prompt();
    for await (const line of lines) {
      if (line.trim() === '') break;
      said.push(line);
      lines.prompt();
    }
    return said.join('\n');
  } finally {
    signal?.removeEventListener('abort', stop);
    lines.close();
  }
}
