// Browsers that have signed in to an account before. Each has attempts of its own, so that guesses from elsewhere
// cannot lock the owner out. What a browser keeps is a name that says nothing, and a proof for each account.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { emailKey } from '../../contract/email-address.ts';
import type { MasterKeys } from '../../platform/envelope.ts';

export interface KnownDevices {
  /** The name of the device, when it has signed in to this account before. */
  find(cookie: string | undefined, email: string): string | undefined;
  /** What the browser keeps from now on. */
  remember(cookie: string | undefined, email: string): string;
}

/** Accounts that one browser is remembered for; the latest stay. */
const MAX_ACCOUNTS = 5;
const NAME = /^[\w-]{22}$/;
const PROOF = /^[\w-]{43}$/;

function unpack(cookie: string | undefined): { name: string; proofs: string[] } {
  const [name = '', ...proofs] = cookie?.split('.', MAX_ACCOUNTS + 1) ?? [];
  if (NAME.test(name) && proofs.every((proof) => PROOF.test(proof))) return { name, proofs };
  return { name: randomBytes(16).toString('base64url'), proofs: [] };
}

export function createKnownDevices({ masterKeys }: { masterKeys: MasterKeys }): KnownDevices {
  function proofOf(name: string, email: string): string {
    return createHmac('sha256', masterKeys.active().key)
      .update(`known device ${name} ${emailKey(email)}`)
      .digest('base64url');
  }
  const isSame = (one: string, other: string) =>
    timingSafeEqual(Buffer.from(one), Buffer.from(other));

  return {
    find(cookie, email) {
      const { name, proofs } = unpack(cookie);
      const wanted = proofOf(name, email);
      return proofs.some((proof) => isSame(proof, wanted)) ? name : undefined;
    },
    remember(cookie, email) {
      const { name, proofs } = unpack(cookie);
      const own = proofOf(name, email);
      const others = proofs.filter((proof) => proof !== own).slice(0, MAX_ACCOUNTS - 1);
      return [name, own, ...others].join('.');
    },
  };
}
