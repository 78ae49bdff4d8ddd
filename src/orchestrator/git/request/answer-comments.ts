// What has become of comments, said where they were made. Where that is refused for one of them (its lines are gone, it was
// deleted), it is said about the request as a whole: nothing is lost.
import { ForgeError } from '../../../git/forges/forge.ts';
import type { Forge } from '../../../git/forges/forge.ts';
import { asText } from './describe-request.ts';
import type { AskedComment, Fixing } from './request-record.ts';

export interface Answers {
  done: number;
  /** Not done, and why. */
  left: string[];
  /** Could not be said over there. */
  unsaid: string[];
}

const LONGEST_QUOTE = 120;

interface Round {
  fixing: Fixing;
  /** Of comments and checks, by their ids. */
  outcomes: ReadonlyMap<string, string>;
  /** That was pushed. */
  commit: string;
}

export const isDone = (outcome: string): boolean => outcome.startsWith('Done');

/** Seen by nobody: by it an answer is known again after a crash. */
const markOf = ({ round, runId }: Fixing, id: string) => `<!-- ${runId} ${round} ${id} -->`;

/** They are refused for what they are about; anything else is tried again by the next command. */
const isRefused = (error: unknown): boolean =>
  error instanceof ForgeError && [400, 404, 409, 410, 422].includes(error.status ?? 0);

const nameOf = ({ comment: { author, text, place } }: AskedComment): string => {
  const lines = place?.lines;
  const where = place === undefined ? '' : `${place.path}${lines ? `:${lines[0]}` : ''}, `;
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}...` : line;
  return `${where}${author}: ${short}`.toWellFormed();
};

export async function answerRound(
  forge: Forge,
  { fixing, outcomes, commit }: Round,
): Promise<Answers> {
  const answers: Answers = { done: 0, left: [], unsaid: [] };
  const said = new Map<number, string[]>();
  const wasSaid = async (number: number, mark: string) => {
    const known = said.get(number) ?? (await forge.said(number));
    said.set(number, known);
    return known.some((text) => text.includes(mark));
  };
  const textOf = (id: string) => {
    const outcome = outcomes.get(id) ?? 'Not done.';
    if (!isDone(outcome)) return asText(outcome);
    return `${asText(outcome.replace(/\.$/, ''))}, in ${commit.slice(0, 12)}.`;
  };
  /** For the request as a whole, by its number. */
  const whole = new Map<number, string[]>();
  const add = (number: number, text: string) =>
    whole.set(number, [...(whole.get(number) ?? []), text]);

  for (const asked of fixing.comments) {
    const { id, number, comment } = asked;
    const outcome = outcomes.get(id) ?? 'Not done.';
    if (isDone(outcome)) answers.done += 1;
    else answers.left.push(`${nameOf(asked)}: ${outcome}`);
    const mark = markOf(fixing, id);
    if (await wasSaid(number, mark)) continue;
    try {
      await forge.answer(number, comment, `${textOf(id)}\n\n${mark}`);
    } catch (error) {
      if (!isRefused(error)) throw error;
      add(number, `- ${asText(nameOf(asked))}\n  ${textOf(id)}`);
    }
  }
  for (const { id, number, name } of fixing.checks) {
    const outcome = outcomes.get(id) ?? 'Not done.';
    if (isDone(outcome)) answers.done += 1;
    else answers.left.push(`check ${name}: ${outcome}`);
    add(number, `- The check "${asText(name)}": ${textOf(id)}`);
  }
  for (const [number, lines] of whole) {
    const mark = markOf(fixing, 'all');
    if (await wasSaid(number, mark)) continue;
    try {
      await forge.say(number, `${lines.join('\n')}\n\n${mark}`);
    } catch (error) {
      if (!isRefused(error)) throw error;
      answers.unsaid.push(...lines);
    }
  }
  return answers;
}
