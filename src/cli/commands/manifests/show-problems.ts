// Problems of a manifest for people: where, what, the line in question, what to do.
import type { Problem } from '../../../manifest/problem.ts';
import type { Paint } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

const MAX_COLUMNS = 76;

/** The line with a mark under the column; only the part around it when it is long. */
function excerpt(line: string, column: number): string[] {
  const at = Math.min(column - 1, line.length);
  const from = at < MAX_COLUMNS - 10 ? 0 : at - MAX_COLUMNS / 2;
  // One character for one, so that the mark stays under its column.
  const clean = line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
  const shown = clean.slice(from, from + MAX_COLUMNS);
  if (shown.trim() === '') return [];
  return [`    ${shown.trimEnd()}`, `    ${' '.repeat(at - from)}^`];
}

export function showProblem(problem: Problem, lines: readonly string[], paint: Paint): string {
  const { file = '', line, column, severity, code, message, hint } = problem;
  const place = `${plain(file === '-' ? '<stdin>' : file)}:${line}:${column}`;
  const color = severity === 'error' ? 'red' : 'yellow';
  const parts = [`${place} ${paint(color, severity)} ${code} ${plain(message)}`];
  parts.push(...excerpt((lines[line - 1] ?? '').replace(/\r$/, ''), column));
  if (hint !== '') parts.push(`    ${paint('dim', `hint: ${plain(hint)}`)}`);
  return parts.join('\n');
}

export function showProblems(problems: readonly Problem[], text: string, paint: Paint): string[] {
  const lines = text.split('\n');
  return problems.map((problem) => showProblem(problem, lines, paint));
}

export function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
}
