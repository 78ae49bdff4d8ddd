// An S3-compatible object store. Requests are signed, their bodies too; buckets are named in the path, which
// every such server understands.
import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { ObjectStoreError } from './object-store.ts';
import type { ObjectStore } from './object-store.ts';

export interface S3Options {
  /** Without the bucket. */
  url: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  timeoutMs?: number;
}

/** How often a request is made that failed for a reason that may pass. */
const TRIES = 3;
const FIRST_PAUSE_MS = 100;
const TIMEOUT_MS = 15_000;

/** The code in the answer, as in <Code>AccessDenied</Code>. */
function codeIn(text: string): string {
  return /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? '';
}

const mayPass = (status: number) => status >= 500 || status === 408 || status === 429;

export function createS3Store(options: S3Options): ObjectStore {
  const { accessKeyId, secretAccessKey, region, timeoutMs = TIMEOUT_MS } = options;
  // Tries are counted here: the time of each is bounded, and the last answer is reported.
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const base = `${options.url.replace(/\/$/, '')}/${encodeURIComponent(options.bucket)}`;

  async function once(method: string, key: string, body?: Buffer): Promise<Response> {
    const url = `${base}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    try {
      return await client.fetch(url, {
        method,
        headers: { 'x-amz-content-sha256': hash },
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
    } catch (error) {
      throw new ObjectStoreError('unreachable', 'Could not reach the object store.', error);
    }
  }

  async function send(method: string, key: string, body?: Buffer): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const answer = await once(method, key, body).catch((error: unknown) => {
        if (attempt >= TRIES) throw error;
        return undefined;
      });
      if (answer !== undefined && (answer.ok || (answer.status === 404 && method !== 'PUT'))) {
        return answer;
      }
      if (answer !== undefined) {
        const why = [answer.status, codeIn(await answer.text())].join(' ').trim();
        if (!mayPass(answer.status)) {
          throw new ObjectStoreError('refused', `The object store answered ${why}.`);
        }
        if (attempt >= TRIES) {
          throw new ObjectStoreError('unreachable', `The object store answered ${why}.`);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt));
    }
  }

  return {
    async put(key, body) {
      await (await send('PUT', key, body)).arrayBuffer();
    },
    async get(key) {
      const answer = await send('GET', key);
      const body = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 404) return body;
      // A missing bucket is no missing object.
      const code = codeIn(body.toString('utf8'));
      if (code !== 'NoSuchBucket') return undefined;
      throw new ObjectStoreError('refused', `The object store answered 404 ${code}.`);
    },
    async delete(key) {
      await (await send('DELETE', key)).arrayBuffer();
    },
  };
}
