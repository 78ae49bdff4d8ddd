// HTML that escapes by default: every value put into the template is text unless it is Html itself.

import { escapeHtml } from '../../src/domain/text/escape-html.ts';

export interface Html {
  readonly html: string;
}

export type Fragment = Html | string | number | null | undefined | readonly Fragment[];

function show(value: Fragment): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if ('html' in value) return value.html;
  return value.map(show).join('');
}

export function html(strings: TemplateStringsArray, ...values: Fragment[]): Html {
  const rest = values.map((value, index) => show(value) + (strings[index + 1] ?? ''));
  return { html: (strings[0] ?? '') + rest.join('') };
}

/** For the page's own style and script, which are constants of this code and never input. */
export function trusted(text: string): Html {
  return { html: text };
}

export function joined(parts: readonly Fragment[], separator: string): Fragment {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}
