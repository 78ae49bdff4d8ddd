// What Stripe's package sends: nested fields as `a[b][0][c]=x`.

export type Form = { [name: string]: Form | string };

export function readForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    let at = form;
    for (const part of path.slice(0, -1)) {
      const below = at[part];
      at = typeof below === 'object' ? below : (at[part] = {});
    }
    at[path.at(-1)!] = value;
  }
  return form;
}

export const text = (value: Form | string | undefined): string =>
  typeof value === 'string' ? value : '';
export const below = (value: Form | string | undefined): Form =>
  typeof value === 'object' ? value : {};
