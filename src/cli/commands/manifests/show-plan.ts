// A plan for people, in 80 columns.
import type { Paint } from '../../terminal/output.ts';
import { cut, plain, wrap } from '../../terminal/plain-text.ts';
import type { ContextPreview, PreviewedFile } from '../../../orchestrator/index.ts';
import type { PlanDocument, PlanEntry } from './plan-document.ts';

const WIDTH = 80;
const ID_WIDTH = 24;
const PATH_WIDTH = 44;

function count(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 999_500 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1e6).toFixed(1)}M`;
}

export function showCost(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function showDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function waits(entry: PlanEntry): string[] {
  return entry.waitsFor.map(({ id, reason, shared }) => {
    if (reason === 'dep') return `${plain(id)} (dep)`;
    if (shared === undefined) return `${plain(id)} (owns)`;
    const { mine, theirs } = shared;
    const both = mine === theirs ? mine : `${mine} overlaps ${theirs}`;
    return `${plain(id)} (owns: ${plain(both)})`;
  });
}

function listLines(word: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const words = items.map((text, at, all) => (at < all.length - 1 ? `${text},` : text));
  return wrap([word, ...words], WIDTH, '      ');
}

function numbered(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function instructionLines(
  { files, cut: missing }: ContextPreview['instructions'],
  place: (path: string) => string,
): string[] {
  const isShown = new Set(files.map(({ path }) => path));
  return [
    ...files.map(
      ({ path, shown, tokens }) =>
        `        ${place(path)}  instructions, ${shown === 'full' ? '' : `${shown}, `}${count(tokens)}`,
    ),
    ...missing
      .filter(({ path }) => !isShown.has(path))
      .map(({ path, reason }) => `        ${place(path)}  instructions, ${reason}`),
  ];
}

function contextLines({ context }: PlanEntry, withFiles: boolean): string[] {
  if (context === undefined) return [];
  const { files, omitted, tokens } = context;
  const place = (path: string) => cut(plain(path), PATH_WIDTH);
  const instructions = withFiles ? instructionLines(context.instructions, place) : [];
  if (files.length + omitted.length === 0) return instructions;
  const countOf = (shown: PreviewedFile['shown']) =>
    files.filter((file) => file.shown === shown).length;
  const parts = [
    [countOf('outline'), 'as outline'],
    [countOf('beginning'), 'only in part'],
    [omitted.length, 'left out'],
  ] as const;
  const rest = parts.flatMap(([number, how]) => (number > 0 ? [`, ${number} ${how}`] : []));
  const lines = [
    `      shows ${numbered(files.length, 'file')}, ${count(tokens)} tokens${rest.join('')}`,
  ];
  if (!withFiles) return lines;
  return [
    ...lines,
    ...instructions,
    ...files.map(
      ({ path, shown, tokens: each }) =>
        `        ${place(path)}  ${shown === 'full' ? '' : `${shown}, `}${count(each)}`,
    ),
    ...omitted.map(({ path, reason }) => `        ${place(path)}  left out: ${plain(reason)}`),
  ];
}

function agentLines({ agent }: PlanEntry): string[] {
  if (agent === undefined) return [];
  const { name, maxTurns, timeoutMs, maxCostUsd, hasHistory, hasOwnLogin, network } = agent;
  const parts = [
    `by ${plain(name)}`,
    `at most ${numbered(maxTurns, 'turn')}`,
    showDuration(timeoutMs),
    ...(maxCostUsd === null ? [] : [showCost(maxCostUsd)]),
    ...(hasOwnLogin ? ['your own login'] : []),
    ...(typeof network === 'string' ? [] : [`network: ${network.map(plain).join(', ')}`]),
    ...(network === 'none' ? ['no network'] : []),
    hasHistory ? 'as the last time' : 'no history',
  ];
  return [`      ${parts.join(', ')}`];
}

function streamLines(
  id: string,
  entry: PlanEntry,
  { width, withFiles }: { width: number; withFiles: boolean },
  paint: Paint,
): string[] {
  const shown = cut(plain(id), width).padEnd(width);
  if (entry.action === 'skip') {
    return [`  ${paint('dim', `${shown}  skip  ${plain(entry.skipReason ?? '')}`)}`];
  }
  const { inputTokens, outputTokens, costUsd, durationMs } = entry.estimate;
  const model = cut(plain(entry.model ?? 'no model'), 20);
  const tier = entry.serviceTier === 'flex' ? ' flex' : '';
  const status = entry.status === 'pending' ? '' : ` (${entry.status})`;
  const figures = [
    `${count(inputTokens)} in`.padStart(9),
    `${count(outputTokens)} out`.padStart(9),
    (costUsd === null ? 'unknown' : showCost(costUsd)).padStart(8),
    showDuration(durationMs).padStart(6),
  ].join('');
  const lines = [`  ${paint('bold', shown)}  run ${figures}  ${model}${tier}${status}`];
  const climbs = (entry.rungs ?? []).slice(1).map((rung) => {
    const flex = rung.serviceTier === 'flex' ? ' flex' : '';
    return `${plain(rung.model)}${flex} (${showCost(rung.estimate.costUsd)})`;
  });
  return [
    ...lines,
    ...agentLines(entry),
    ...listLines('then', climbs),
    ...contextLines(entry, withFiles),
    ...listLines('after', waits(entry)),
    ...listLines('rechecks', entry.rechecks.map(plain)),
  ];
}

export function showPlan(
  plan: PlanDocument,
  paint: Paint,
  { withFiles = false }: { withFiles?: boolean } = {},
): string {
  const { totals } = plan;
  const streams = `${totals.streams} stream${totals.streams === 1 ? '' : 's'}`;
  const lines = [
    `${paint('bold', cut(plain(plan.manifest), 50))}  ${streams}: ${totals.toRun} to run, ${totals.skipped} done`,
  ];
  let width = 0;
  for (const id of plan.streams.keys()) width = Math.max(width, Math.min(id.length, ID_WIDTH));
  plan.waves.forEach((ids, at) => {
    lines.push('', paint('cyan', `Wave ${at + 1}`));
    for (const id of ids)
      lines.push(...streamLines(id, plan.streams.get(id)!, { width, withFiles }, paint));
  });
  lines.push('');
  if (plan.criticalPath.length > 1) {
    const chain = plan.criticalPath.map(plain);
    const words = chain.map((id, at) => (at < chain.length - 1 ? `${id} >` : id));
    lines.push(...wrap(['Longest chain:', ...words], WIDTH, ''));
  }
  if (plan.sandbox !== null && totals.toRun > 0) {
    const hosts = plan.sandbox.hosts.map(plain).join(', ');
    const network = hosts === '' ? 'without a network' : `with ${hosts}`;
    lines.push(...wrap(`Commands run in the sandbox, ${network}.`.split(' '), WIDTH, ''));
  }
  lines.push(...showTotals(plan));
  return lines.join('\n');
}

function showTotals({ totals, streams }: PlanDocument): string[] {
  if (totals.toRun === 0) return ['Nothing to do.'];
  const cost = `${showCost(totals.costUsd)}${totals.simulated ? ' (simulated)' : ''}`;
  const words = [
    'Estimate:',
    `${count(totals.inputTokens)} tokens in,`,
    `${count(totals.outputTokens)} out,`,
    `${cost},`,
    `about ${showDuration(totals.durationMs)}`,
    `with ${totals.concurrency} at a time`,
  ];
  const lines = wrap(words, WIDTH, '');
  const { attempts, costUsd } = totals.worstCase;
  if (costUsd !== null && costUsd > 0) {
    const isSame = [...streams.values()].every(
      ({ action, worstCase }) => action === 'skip' || worstCase.attempts === attempts,
    );
    const many = isSame ? `all ${attempts} attempts` : 'all of its attempts';
    const worst = `At most ${showCost(costUsd)}, if every stream needs ${attempts === 1 ? 'its one attempt' : many} and every answer is as long as allowed`;
    lines.push(...wrap(worst.split(' '), WIDTH, ''));
  }
  if (totals.unpriced > 0) {
    const whose = totals.unpriced === 1 ? '1 stream' : `${totals.unpriced} streams`;
    const unnamed = [...streams.values()].some(({ action, model }) => action === 'run' && !model);
    const advice = unnamed ? 'name a model with --model.' : 'MILLRACE_PRICES_FILE can add one.';
    lines.push(`No price is known for ${whose}; ${advice}`);
  }
  return lines;
}
