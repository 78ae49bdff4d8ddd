// How this copy of the program is called.
import { fileURLToPath } from 'node:url';

/** Sources run in a checkout only, where the command is a script at the root of it. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts');

/** The script of the checkout that this runs from, if it is one. */
export function checkoutLauncher(): string | undefined {
  return IS_CHECKOUT ? fileURLToPath(new URL('../../millrace', import.meta.url)) : undefined;
}
