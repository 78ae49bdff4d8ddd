import type { IncomingHttpHeaders } from 'node:http';
import type { FaultName } from './faults.ts';
import type { Vendor } from './vendors.ts';

/** One request as the vendor saw it. Times are milliseconds since 1970, as in Date.now(). */
export interface VendorCall {
  number: number;
  vendor: Vendor;
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  key?: string;
  body?: unknown;
  /** The text of the user's turns. */
  prompt: string;
  id?: string;
  fault?: FaultName;
  startedAt: number;
  status?: number;
  firstByteAt?: number;
  /** What the whole answer uses, whether or not all of it was sent. */
  usage?: { input: number; output: number };
  /** Pieces of text handed to the connection so far. */
  pieces: number;
  /** The whole answer was sent, finish event or error body included. */
  finished: boolean;
  /** The client closed the connection before the server was done with it. */
  clientClosedAt?: number;
  /** Nothing more will happen: sent, given up or closed. */
  endedAt?: number;
}

export interface CallFilter {
  vendor?: Vendor;
  id?: string;
}

export interface CallLog {
  add(call: Omit<VendorCall, 'number' | 'pieces' | 'finished'>): VendorCall;
  /** Copies, in the order of arrival. */
  list(filter?: CallFilter): VendorCall[];
  /** How many calls of this name there were before, counting this one too from now on. */
  count(name: string): number;
  forget(): void;
}

export function createCallLog(): CallLog {
  let calls: VendorCall[] = [];
  let number = 0;
  const counts = new Map<string, number>();
  return {
    add(fields) {
      number += 1;
      const call = { ...fields, number, pieces: 0, finished: false };
      calls.push(call);
      return call;
    },
    list: ({ vendor, id } = {}) =>
      calls
        .filter((call) => vendor === undefined || call.vendor === vendor)
        .filter((call) => id === undefined || call.id === id)
        .map((call) => ({ ...call })),
    count(name) {
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      return before;
    },
    forget() {
      calls = [];
      counts.clear();
    },
  };
}
