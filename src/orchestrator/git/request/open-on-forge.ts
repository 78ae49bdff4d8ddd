// Requests on the forge for what was pushed: opened, or found and brought up to date.
import type { Manifest } from '../../../manifest/model.ts';
import { manifestName } from '../../../manifest/model.ts';
import { ForgeError } from '../../../git/forges/forge.ts';
import type { PullRequest } from '../../../git/forges/forge.ts';
import { describeRequest } from './describe-request.ts';
import type { DescribedStream, RequestText } from './describe-request.ts';
import type { RequestOptions } from './open-request.ts';
import type { RequestRecord } from './request-record.ts';

interface Wanted {
  head: string;
  base: string;
  title: string;
  body: string;
  /** As it was opened before. */
  number: number | null;
  /** It is one of several, and may have been taken before the others. */
  isPart: boolean;
}

export interface OpenedRequest {
  kind: 'opened' | 'updated';
  request: PullRequest;
}

async function openOrUpdate(
  { forge, title, isDraft, reviewers, onStep }: RequestOptions,
  { head, base, title: name, body, number, isPart }: Wanted,
): Promise<OpenedRequest> {
  const found = number === null ? undefined : await forge.get(number);
  // What was taken or turned down of a stack stays so.
  if (isPart && found !== undefined && found.state !== 'open') {
    return { kind: 'updated', request: found };
  }
  const open = found?.state === 'open' ? found : await forge.find(head);
  if (open !== undefined) {
    onStep(`Updating the ${forge.word} ${forge.sign}${open.number}`);
    const change = {
      ...(title !== undefined && { title: name }),
      ...(open.base !== base && { base }),
      body,
    };
    const request = await forge.update(open.number, change);
    await askReviewers(request);
    return { kind: 'updated', request };
  }
  onStep(`Opening a ${forge.word}`);
  const request = await forge.open({ head, base, title: name, body, isDraft });
  await askReviewers(request);
  return { kind: 'opened', request };

  /** The request is there without them: who may not be asked is no reason to fail. */
  async function askReviewers({ number: asked }: PullRequest): Promise<void> {
    if (reviewers.length === 0) return;
    try {
      await forge.askReviewers(asked, reviewers);
    } catch (error) {
      const status = error instanceof ForgeError ? (error.status ?? 0) : 0;
      if (status < 400 || status >= 500 || status === 401) throw error;
      onStep(`Nobody was asked for a review: ${(error as ForgeError).message}`);
    }
  }
}

export interface ToOpen {
  next: RequestRecord;
  branch: string;
  manifest: Manifest;
  streams: readonly DescribedStream[];
  text: Omit<RequestText, 'streams' | 'parts'>;
  save(): Promise<void>;
}

/** From the target up; written down after each. Returns the uppermost. */
export async function openRequests(
  options: RequestOptions,
  { next, branch, manifest, streams, text, save }: ToOpen,
): Promise<OpenedRequest> {
  const { parts } = next;
  const all = [...parts, { branch, streams: undefined, ...next }];
  const inParts = new Set(parts.flatMap((part) => part.streams));
  let base = next.target;
  let last: OpenedRequest | undefined;
  for (const [at, one] of all.entries()) {
    const isTop = at === parts.length;
    const shown = streams.filter(({ id }) =>
      isTop ? !inParts.has(id) : one.streams!.includes(id),
    );
    const title = options.title ?? manifestName(manifest);
    const names = all.map(({ number }) =>
      number === null ? undefined : `${options.forge.sign}${number}`,
    );
    const stack = parts.length === 0 ? undefined : { at, names };
    last = await openOrUpdate(options, {
      head: one.branch,
      base,
      title: stack === undefined ? title : `${title} (${at + 1} of ${all.length})`,
      body: describeRequest({ ...text, streams: shown, parts: stack }),
      number: one.number,
      isPart: !isTop,
    });
    const { number, url, state } = last.request;
    Object.assign(isTop ? next : parts[at]!, { number, url });
    one.number = number;
    await save();
    // The next one goes to where this one went.
    if (state !== 'merged') base = one.branch;
  }
  return last!;
}
