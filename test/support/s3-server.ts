// A small S3: it keeps objects in memory and checks every signature by the published algorithm, so that it refuses
// what a real one refuses. Faults can be ordered.
import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface SignedRequest {
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

/** The signature that the request should have; see "Signature Version 4" in the documentation of S3. */
export function signatureOf(
  { method, url, headers }: SignedRequest,
  { scope, signedHeaders, secret }: { scope: string; signedHeaders: string; secret: string },
): string {
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

/** The code of the error, or undefined when the request is signed as it should be. */
function refusal(
  request: SignedRequest,
  body: Buffer,
  known: S3Credentials,
  region: string,
): string | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), *SignedHeaders=([^,]+), *Signature=(\w+)$/.exec(
      String(request.headers['authorization']),
    );
  if (found === null) return 'AccessDenied';
  const [, keyId, scope = '', signedHeaders = '', signature] = found;
  if (keyId !== known.accessKeyId) return 'InvalidAccessKeyId';
  const day = String(request.headers['x-amz-date']).slice(0, 8);
  if (scope !== `${day}/${region}/s3/aws4_request`) return 'AuthorizationHeaderMalformed';
  if (sha256(body) !== request.headers['x-amz-content-sha256']) return 'XAmzContentSHA256Mismatch';
  const options = { scope, signedHeaders, secret: known.secretAccessKey };
  return signatureOf(request, options) === signature ? undefined : 'SignatureDoesNotMatch';
}

export interface TestS3 {
  url: string;
  bucket: string;
  region: string;
  credentials: S3Credentials;
  objects: Map<string, Buffer>;
  /** Answers with this status instead, as long as it is set. */
  fault: number | undefined;
  close(): Promise<void>;
}

const MISSING = ['NoSuchKey', 404] as const;

export async function startS3(): Promise<TestS3> {
  const objects = new Map<string, Buffer>();
  const credentials = { accessKeyId: 'test-key', secretAccessKey: 'test secret/with+signs' };
  const s3: TestS3 = {
    url: '',
    bucket: 'texts',
    region: 'eu-test-1',
    credentials,
    objects,
    fault: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function answer(response: ServerResponse, code: string, status: number): void {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  }

  function serve(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method = '', url = '' } = request;
    if (s3.fault !== undefined) return answer(response, 'Fault', s3.fault);
    const refused = refusal(
      { method, url, headers: request.headers },
      body,
      credentials,
      s3.region,
    );
    if (refused !== undefined) return answer(response, refused, 403);
    const [, bucket, ...parts] = url.split('/').map(decodeURIComponent);
    if (bucket !== s3.bucket) return answer(response, 'NoSuchBucket', 404);
    const key = parts.join('/');
    if (method === 'PUT') objects.set(key, body);
    if (method === 'DELETE') objects.delete(key);
    if (method !== 'GET') return void response.writeHead(method === 'PUT' ? 200 : 204).end();
    const found = objects.get(key);
    if (found === undefined) return answer(response, ...MISSING);
    response.writeHead(200).end(found);
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => serve(request, Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  s3.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return s3;
}
