// Values of flags. The same kind of value is written the same way for every command.
import { Option } from 'commander';
import type { Reasoning, ServiceTier } from '../contract/fields.ts';
import { REASONING_EFFORTS, SERVICE_TIERS } from '../manifest/model.ts';
import { usageError } from './command-error.ts';
import type { CommandOptions } from './command.ts';

/** A whole number from an option, or undefined when it was not given. */
export function numberOf(options: CommandOptions, name: string, flag: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(String(text))) return Number(text);
  throw usageError(`${flag} "${String(text)}": must be a whole number`);
}

/** The text of an option, or undefined when it was not given. */
export function textOf(options: CommandOptions, name: string): string | undefined {
  const text = options[name];
  return typeof text === 'string' ? text : undefined;
}

/** The same for everything that asks a model; other values are refused by commander. */
export function reasoningFlag(): Option {
  return new Option('--reasoning <effort>', 'how much the model thinks before it answers').choices(
    REASONING_EFFORTS,
  );
}

/** The same for everything that asks a model. */
export function serviceTierFlag(): Option {
  return new Option('--service-tier <tier>', 'flex is cheaper and slower').choices(SERVICE_TIERS);
}

export function serviceTierOf(options: CommandOptions): ServiceTier | undefined {
  return options['serviceTier'] as ServiceTier | undefined;
}

/** The same for everything that shows a model files of the project. */
export function instructionsFlag(): Option {
  return new Option('--no-instructions', "leave out the repository's AGENTS.md and CLAUDE.md");
}

export function reasoningOf(options: CommandOptions): Reasoning | undefined {
  return options['reasoning'] as Reasoning | undefined;
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** For error messages: `90s`, `5m`, `1h`. */
function shortest(ms: number): string {
  for (const unit of ['h', 'm', 's'] as const) {
    if (ms % UNIT_MS[unit] === 0) return `${ms / UNIT_MS[unit]}${unit}`;
  }
  return `${ms}ms`;
}

/** Milliseconds from `90` (seconds), `90s`, `1.5m`, `1h` or `500ms`. */
export function durationOf(
  options: CommandOptions,
  name: string,
  flag: string,
  limits: { minMs?: number; maxMs?: number } = {},
): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const [, amount, unit = 's'] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(String(text)) ?? [];
  const ms = amount === undefined ? NaN : Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(ms > 0)) {
    throw usageError(`${flag} "${String(text)}": must be a time such as 90s, 5m or 1h`);
  }
  const { minMs = 0, maxMs = Infinity } = limits;
  if (ms < minMs) throw usageError(`${flag} ${String(text)}: must be at least ${shortest(minMs)}`);
  if (ms > maxMs) {
    // Most likely meant as milliseconds.
    const meant = unit === 's' && Number(amount) <= maxMs ? `; did you mean ${amount}ms?` : '';
    throw usageError(`${flag} ${String(text)}: must be at most ${shortest(maxMs)}${meant}`);
  }
  return Math.round(ms);
}

/** Dollars, with or without the sign. */
export function dollarsOf(options: CommandOptions, name: string, flag: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const [, amount] = /^\$?(\d{1,7}(?:\.\d{1,6})?|\.\d{1,6})$/.exec(String(text)) ?? [];
  if (Number(amount) > 0) return Number(amount);
  throw usageError(`${flag} "${String(text)}": must be dollars, such as 2.50`);
}
