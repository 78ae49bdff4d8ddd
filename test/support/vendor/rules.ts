import type { Directive } from './directive.ts';
import { BadScriptError, toDirective } from './directive.ts';
import type { FaultName } from './faults.ts';
import { faultOf } from './faults.ts';
import type { Options } from './options.ts';
import type { Vendor } from './vendors.ts';
import { isVendor, VENDORS } from './vendors.ts';

/** What to do with calls that match; for requests that carry no prompt, or prompts of others. */
export interface Rule {
  vendor?: Vendor;
  /** A part of the path, for instance /models. */
  path?: string;
  /** A part of the prompt. */
  contains?: string;
  fault?: FaultName;
  options?: Options;
  /** How many calls the rule is for; all when absent. */
  times?: number;
}

export interface Rules {
  add(rule: Rule): void;
  /** Uses up one of the matching rule's times. */
  take(call: { vendor: Vendor; path: string; prompt: string }): Directive | undefined;
  reset(): void;
}

export function createRules(): Rules {
  let rules: { rule: Rule; directive: Directive; left: number }[] = [];
  return {
    add(rule) {
      if (rule.vendor !== undefined && !isVendor(rule.vendor)) {
        throw new BadScriptError(
          `vendor "${String(rule.vendor)}" is none of ${VENDORS.join(', ')}`,
        );
      }
      const options = Object.entries(rule.options ?? {}).map(
        ([name, value]) => [kebab(name), value] as const,
      );
      const directive = toDirective(rule.fault, options);
      const playable = rule.fault && rule.vendor ? faultOf(rule.fault, rule.vendor) : undefined;
      if (typeof playable === 'string') throw new BadScriptError(playable);
      rules.push({ rule, directive, left: rule.times ?? Infinity });
    },
    take(call) {
      const found = rules.find(({ rule, left }) => left > 0 && matches(rule, call));
      if (found) found.left -= 1;
      return found?.directive;
    },
    reset() {
      rules = [];
    },
  };
}

function matches(rule: Rule, call: { vendor: Vendor; path: string; prompt: string }): boolean {
  return (
    (rule.vendor ?? call.vendor) === call.vendor &&
    call.path.includes(rule.path ?? '') &&
    call.prompt.includes(rule.contains ?? '')
  );
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
