// How a command on this machine knows the server of its own data folder: the server leaves its
// address and a secret there, and proves over HTTP that it has the secret. An address alone proves
// nothing: after a crash any process may listen on it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from './whole-file.ts';

export const MARK_FILE = 'server.json';
const CHALLENGE = /^[0-9a-f]{64}$/;

export interface ServerMark {
  url: string;
  secret: string;
}

export function newMarkSecret(): string {
  return randomBytes(32).toString('hex');
}

export function newChallenge(): string {
  return randomBytes(32).toString('hex');
}

/** The address is part of it: a process that hands a challenge on to the server proves nothing. */
function proofOf({ url, secret }: ServerMark, challenge: string): Buffer {
  return createHmac('sha256', secret).update(`${url}\n${challenge}`).digest();
}

export function isProof(mark: ServerMark, challenge: string, proof: unknown): boolean {
  const given = Buffer.from(typeof proof === 'string' ? proof : '', 'hex');
  const expected = proofOf(mark, challenge);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** What the last server of the folder left there; it may have been killed since. */
export function readServerMark(dataDir: string): ServerMark | undefined {
  try {
    const mark = JSON.parse(readFileSync(join(dataDir, MARK_FILE), 'utf8')) as Partial<ServerMark>;
    const { url, secret } = mark;
    return typeof url === 'string' && typeof secret === 'string' ? { url, secret } : undefined;
  } catch {
    return undefined;
  }
}

/** The proof for a challenge; undefined for one that was not made by newChallenge. */
export function proveMark(mark: ServerMark, challenge: string): string | undefined {
  return CHALLENGE.test(challenge) ? proofOf(mark, challenge).toString('hex') : undefined;
}

/** Where commands look for it; returns how to remove it. */
export async function publishServerMark(dataDir: string, mark: ServerMark): Promise<() => void> {
  const path = join(dataDir, MARK_FILE);
  await writeWholeFile(path, `${JSON.stringify({ ...mark, pid: process.pid })}\n`, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}
